// What the guide for tool authors shows must work as shown.
import { readFileSync } from 'node:fs'
import { serviceFailure } from '../../tools/_services/service-errors.js'
import { compile } from './support/tool-files.mjs'

const readme = readFileSync(new URL('../../tools/README.md', import.meta.url), 'utf8')

test('the sample schema takes the sample call', () => {
  const schema = JSON.parse(readme.match(/```json\n(\{\n  "toolId"[\s\S]*?)```/)[1])
  const call = JSON.parse(readme.match(/```json\n\s*(\{ "name".*\})/)[1])
  const validate = compile(schema.parameters)
  expect([validate(call), validate({}), validate({ ...call, more: 1 })]).toEqual([true, false, false])
})

test('the table of service errors says what becomes of each code', () => {
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)`[^|]*\| ([A-Z_]+)(, retryable)?/gm)]
  expect(rows.map(([, code]) => code)).toEqual([
    'TIMEOUT',
    'UNAVAILABLE',
    'RATE_LIMIT',
    'INVALID_NAMESPACE',
    'AUTH_ERROR',
    'FORBIDDEN',
    'CONFLICT',
    'REJECTED',
  ])
  for (const [, code, type, retryable] of rows) {
    expect(serviceFailure({ code }, 'service').error).toMatchObject({ type, retryable: Boolean(retryable) })
  }
})
