// Schemas of five libraries in bulk: for generated values the gate answers as the library does, but for the table of
// docs/schema-libraries.md. `TOOLGATE_RECORD=1` writes it.
import { readFileSync, writeFileSync } from 'node:fs'

import { compare } from '../support/differential/compare.mjs'
import { schemaCases } from '../support/differential/libraries.mjs'
import { differenceTable, unexplained } from '../support/differential/reasons.mjs'

const page = new URL('../../docs/schema-libraries.md', import.meta.url)

test('the gate is narrower than a library only for the reasons of the table', async () => {
  const cases = schemaCases()
  const found = await compare(cases, { count: 60, seed: 1 })
  expect(unexplained(found.differences)).toEqual([])
  const figures =
    `${cases.length} schemas, ${found.compared} values. The libraries take ${found.taken}; ` +
    `the gate answers ${found.differences.length} otherwise.`
  const [begin, end] = ['<!-- differential:begin -->', '<!-- differential:end -->']
  const text = readFileSync(page, 'utf8')
  const [before, rest] = text.split(begin)
  const made = `${before}${begin}\n${figures}\n\n${differenceTable(found.differences)}\n${end}${rest.split(end)[1]}`
  if (process.env.TOOLGATE_RECORD === '1') writeFileSync(page, made)
  else expect(text).toBe(made)
})
