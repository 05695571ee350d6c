// The depth of untrusted JSON: the nesting counts, not the number of brackets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '../src/parse-json.js'

const nested = (depth, open, close) => open.repeat(depth) + '1' + close.repeat(depth)

for (const [open, close] of [
  ['[', ']'],
  ['{"a":', '}'],
]) {
  test(`${open} is refused beyond 500 levels`, () => {
    assert.equal(parseJson(nested(500, open, close)).problem, undefined)
    assert.match(parseJson(nested(501, open, close)).problem, /deeper than 500/)
    assert.match(parseJson(nested(100_000, open, close)).problem, /deeper than 500/)
  })
}

test('many brackets side by side or in a text are not deep', () => {
  assert.equal(parseJson(`[${'[],'.repeat(2000)}{}]`).value.length, 2001)
  assert.equal(parseJson(JSON.stringify('["{'.repeat(2000))).value.length, 6000)
})
