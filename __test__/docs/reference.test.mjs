// docs/reference.md: its tables are made of the code, and its responses are responses.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import { openGate } from '../support/gate.mjs'

const { ErrorType, builtInModes, httpStatus, validateToolResponse } = createRequire(import.meta.url)('../../index.js')

const page = new URL('../../docs/reference.md', import.meta.url)
const source = readFileSync(new URL('../../src/error.rs', import.meta.url), 'utf8')

function errorTable() {
  const table = source.slice(source.indexOf('error_types! {'))
  const rows = [...table.matchAll(/\/\/\/ (.*)\n\s+\w+ = "(\w+)", \d+, (\w+);/g)]
  expect(rows.map(([, , type]) => type).sort()).toEqual(Object.keys(ErrorType).sort())
  return [
    '| type | HTTP | from | meaning |',
    '|---|---|---|---|',
    ...rows.map(([, meaning, type, maker]) => {
      const from = maker === 'handler' ? 'gate, handler' : 'gate'
      return `| \`${type}\` | ${httpStatus(type)} | ${from} | ${meaning} |`
    }),
    '',
  ].join('\n')
}

const MEMBERS = {
  retrievalCalls: 'calls of retrieval tools in a turn',
  totalCalls: 'calls in a turn',
  topK: 'largest `top_k` of a retrieval tool that sets no clamp',
  attempts: 'attempts of a call that may be retried',
  resultLimitBytes: 'bytes of `data` for the model',
  perPrincipal: 'calls of a principal within a window, in all sessions',
  retrievalLatencyMs: 'ms of one retrieval before an audit warning',
  turnLatencyMs: 'ms of all calls of a turn before an audit warning',
}

function budgetTable() {
  const modes = Object.keys(builtInModes)
  const rows = Object.entries(MEMBERS).map(([member, meaning]) => {
    const values = modes.map(mode => builtInModes[mode][member]?.toLocaleString('en') ?? 'no limit')
    return `| \`${member}\` | ${meaning} | ${values.join(' | ')} |`
  })
  const heads = ['policy', 'limits', ...modes.map(mode => `\`${mode}\``)]
  return [`| ${heads.join(' | ')} |`, `|${'---|'.repeat(heads.length)}`, ...rows, ''].join('\n')
}

/** `TOOLGATE_RECORD=1` writes the tables. */
test.each([
  ['errors', errorTable],
  ['budgets', budgetTable],
])('the table `%s` is that of the code', (name, table) => {
  const [begin, end] = [`<!-- ${name}:begin -->\n`, `<!-- ${name}:end -->`]
  const text = readFileSync(page, 'utf8')
  const [before, rest] = text.split(begin)
  const expected = `${before}${begin}${table()}${rest.slice(rest.indexOf(end))}`
  if (process.env.TOOLGATE_RECORD === '1') writeFileSync(page, expected)
  else expect(text).toBe(expected)
})

test('the two responses are responses of the gate, with the members that it gives', async () => {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/```json\n([^]*?)```/g)].map(([, text]) => JSON.parse(text))
  expect(blocks.map(({ ok }) => ok)).toEqual([true, false])
  for (const block of blocks) expect(validateToolResponse(block, { strict: true })).toBe(true)
  const gate = await openGate({
    count_words: {
      properties: { text: { type: 'string' } },
      required: ['text'],
      execute: () => ({ ok: true, data: { words: 3 } }),
    },
  })
  const session = await gate.session()
  const given = async args => {
    const { meta, ...response } = await session.execute({
      id: `call_8f3a9c2e${args.length}`,
      name: 'count_words',
      args,
    })
    return [response, Object.keys(meta)]
  }
  const written = ({ meta, ...response }) => [response, Object.keys(meta)]
  expect(await given('{"text":"one two three"}')).toEqual(written(blocks[0]))
  expect(await given('{}')).toEqual(written(blocks[1]))
})
