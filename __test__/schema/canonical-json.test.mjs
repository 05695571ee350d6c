// The canonical form of JSON and the hash of arguments, as the package exports them.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { argsHash, canonicalJson } from '../../index.js'

const CORPUS = process.env.TOOLGATE_CORPUS ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url))
const VECTORS = path.join(CORPUS, 'rfc8785')

const sha256 = text => createHash('sha256').update(text, 'utf8').digest('hex')

test.each([
  ['an object', { b: 1, a: [true, null] }, '{"a":[true,null],"b":1}'],
  ['the text of an object', ' {"b": 1.0, "a" : "\\u0041"}', '{"a":"A","b":1}'],
  ['the bytes of a text', Buffer.from('{"é":1e2}'), '{"é":100}'],
  ['the text of a string', '"x"', '"x"'],
  ['a number', -0, '0'],
  ['a large number', 1e21, '1e+21'],
  ['null', null, 'null'],
  ['a value with toJSON', new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ['names beyond the first plane', { '\ufb33': 1, '😀': 2 }, '{"😀":2,"\ufb33":1}'],
])('%s', (_, given, expected) => {
  expect(canonicalJson(given)).toBe(expected)
  expect(argsHash(given)).toBe(sha256(expected))
})

const inCorpus = existsSync(VECTORS) ? test : test.skip
inCorpus('the published examples of RFC 8785', () => {
  const names = readdirSync(path.join(VECTORS, 'input'))
  expect(names.length).toBeGreaterThan(4)
  for (const name of names) {
    const expected = readFileSync(path.join(VECTORS, 'output', name), 'utf8')
    expect(canonicalJson(readFileSync(path.join(VECTORS, 'input', name)))).toBe(expected)
  }
})

const cycle = {}
cycle.self = cycle

test.each([
  ['a cycle', cycle, /^the value can't be written as JSON: it holds a cycle$/],
  ['a BigInt', { a: 1n }, /^the value can't be written as JSON: it holds a BigInt$/],
  ['undefined', undefined, /^the value can't be written as JSON: undefined is not JSON$/],
  ['a function', () => 1, /^the value can't be written as JSON: function is not JSON$/],
  [
    'bytes that are not UTF-8',
    Uint8Array.of(0x22, 0xff, 0x22),
    /^the value can't be written as JSON: its bytes are not /,
  ],
  ['a text that is not JSON', 'hello', / at byte 0/],
  ['a text with a trailing comma', '{"a":1,}', / at byte \d+/],
  ['an empty text', '', /./],
  ['a lone surrogate in a value', { a: '\ud800' }, /surrogate/],
  ['a lone surrogate in a text', '{"a":"\ud800"}', /surrogate/],
  ['a number beyond doubles', '[1e400]', /./],
  ['too much nesting', '['.repeat(600) + ']'.repeat(600), /deeper than 512 levels/],
])('%s throws a TypeError that says what is wrong', (_, given, message) => {
  for (const run of [canonicalJson, argsHash]) {
    expect(() => run(given)).toThrow(TypeError)
    expect(() => run(given)).toThrow(message)
  }
})

test('the last value of a name that occurs twice counts, as in a call', () => {
  expect(canonicalJson('{"a":1,"\\u0061":2}')).toBe('{"a":2}')
  expect(argsHash('{"a":1,"\\u0061":2}')).toBe(argsHash({ a: 2 }))
})
