// Results that JSON would write with a loss: refused in development, passed in production, and never one for the other.
import vm from 'node:vm'

import { openGate } from '../support/gate.mjs'
import { answerOf, internal } from '../support/handler-outcome.mjs'

class Sealed {
  #rows = 1
  get rows() {
    return this.#rows
  }
}

/** What JSON writes as `{}` or null: a value, and its description. */
const LOST = [
  [new Map([['a', 1]]), 'a Map', {}],
  [new Set([1]), 'a Set', {}],
  [new WeakMap(), 'a WeakMap', {}],
  [/a/, 'a RegExp', {}],
  [new TypeError('no'), 'an Error', {}],
  [Object.assign(new Error('no'), { code: 'E' }), 'an Error', { code: 'E' }],
  [Promise.resolve(1), 'a promise that was not awaited', {}],
  [new Headers({ a: 'b' }), 'a Headers', {}],
  [new URLSearchParams('a=1'), 'a URLSearchParams', {}],
  [new ArrayBuffer(2), 'an ArrayBuffer', {}],
  [new Uint8Array([1]), 'a Uint8Array', { 0: 1 }],
  [new Float32Array([1.5]), 'a Float32Array', { 0: 1.5 }],
  [new DataView(new ArrayBuffer(2)), 'a DataView', {}],
  [new Sealed(), 'a Sealed', {}],
  [[1][Symbol.iterator](), 'an object without members of its own', {}],
  [Object.create({ inherited: 1 }), 'an object without members of its own', {}],
  [vm.runInNewContext('new Map([[1, 2]])'), 'a Map', {}],
  [Number.NaN, 'NaN', null],
  [Number.NEGATIVE_INFINITY, '-Infinity', null],
  [new Date(Number.NaN), 'an invalid Date', null],
]
/** What JSON says whole, or leaves out as a member, although it is not plain. */
const KEPT = [
  new Date(0),
  new URL('http://a.example/'),
  Buffer.from('ab'),
  Object(7),
  Object('text'),
  Object.create(null),
  vm.runInNewContext('({ a: [{}, []] })'),
  new (class Point {
    x = 1
  })(),
  new (class extends Array {})(1, 2),
  { toJSON: () => ({ rows: 1 }), rows: new Map() },
  {},
  [],
  -0,
]

describe('in development a success that loses data is INTERNAL, with the place of what is lost', () => {
  test.each(LOST.map(([value, what]) => [what, value]))('%s', async (what, value) => {
    const problem = path => new RegExp(`gave no usable answer: its result is not JSON: \`${path}\` is ${what}$`)
    internal(await answerOf(() => ({ ok: true, data: { rows: [{ 'a/b': value }] } })), problem('/data/rows/0/a~1b'))
    internal(await answerOf(async () => ({ success: true, data: value })), problem('/data'))
  })

  test.each([
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
  ])('%s in a list: JSON writes null for it', async (what, value) => {
    internal(await answerOf(() => ({ ok: true, data: [1, value] })), new RegExp(`\`/data/1\` is ${what} in a list$`))
    expect((await answerOf(() => ({ ok: true, data: { a: 1, value } }))).answer.data).toEqual({ a: 1 })
  })

  test('a hole in a list', async () => {
    internal(
      await answerOf(() => ({
        ok: true,
        data: JSON.parse('[1,2]', (name, value) => (name === '0' ? undefined : value)),
      })),
      /`\/data\/0` is undefined in a list$/,
    )
  })

  test('a query that runs once it is awaited', async () => {
    class Query {
      sql = 'select 1'
      then(resolve) {
        resolve([])
      }
    }
    internal(await answerOf(() => ({ ok: true, data: new Query() })), /`\/data` is a promise that was not awaited$/)
  })

  test('a value that occurs twice, and a long path', async () => {
    const part = { [`n${'x'.repeat(1000)}`]: { end: new Set() } }
    const { answer } = await answerOf(() => ({ ok: true, data: [[], { a: 1 }, part, part] }))
    internal({ answer }, /`\/data\/2\/nx+` is a Set$/)
    expect(answer.error.message.length).toBeLessThan(400)
  })

  test('a write that has run says so: its effect is not denied, and it runs once', async () => {
    let runs = 0
    const execute = () => {
      runs += 1
      return { ok: true, data: { receipt: new Map() } }
    }
    const gate = await openGate({ pay: { kind: 'write', execute } })
    const session = await gate.session()
    const pay = () => session.execute({ id: 'call_a1b2c3d4e5f6', name: 'pay', args: {} })
    const [first, again] = [await pay(), await pay()]
    expect(first.error).toMatchObject({
      type: 'INTERNAL',
      retryable: false,
      partialSideEffects: true,
      details: { reason: 'result_not_json', path: '/data/receipt' },
      suggestion: 'it has run: do not call it again',
    })
    expect([again.error, again.meta._idempotent_cache_hit, runs]).toEqual([first.error, true, 1])
  })
})

describe('what is no loss', () => {
  test.each(KEPT.map(value => [JSON.stringify(value), value]))('%s', async (text, value) => {
    expect((await answerOf(() => ({ ok: true, data: { value } }))).answer).toMatchObject({
      ok: true,
      data: { value: JSON.parse(text) },
    })
  })

  test('a failure keeps its type, whatever its details hold', async () => {
    const error = { type: 'NOT_FOUND', message: 'none', details: { cause: new Error('x'), at: Number.NaN } }
    expect((await answerOf(() => ({ ok: false, error }))).answer.error).toMatchObject({
      type: 'NOT_FOUND',
      details: { cause: {}, at: null },
    })
  })
})

describe('in production it is a success: its effect is there, and the rest of its data', () => {
  test.each(LOST.map(([value, what, written]) => [what, value, written]))('%s', async (what, value, written) => {
    const { session } = await openGate(
      { probe: { kind: 'write', execute: () => ({ ok: true, data: { a: 1, value } }) } },
      { environment: 'production' },
    )
    expect(await (await session()).execute({ name: 'probe' })).toMatchObject({
      ok: true,
      data: { a: 1, value: written },
      meta: { warnings: [`result_not_json: \`/data/value\` is ${what}`] },
    })
  })

  test('a BigInt is INTERNAL there as well: JSON has nothing for it', async () => {
    const { session } = await openGate(
      { probe: { execute: () => ({ ok: true, data: { nan: Number.NaN, big: 1n } }) } },
      { environment: 'production' },
    )
    internal({ answer: await (await session()).execute({ name: 'probe' }) }, /`\/data\/big` is a BigInt$/)
  })
})

test('half of a character in a result, or in a name of it, is replaced with a warning', async () => {
  const data = { text: 'a\ud83d', 'n\udc00': ['\ud800x'], whole: '\ud83d\ude00', escape: '\\ud800' }
  const { answer } = await answerOf(() => ({ ok: true, data }))
  expect(answer).toMatchObject({
    ok: true,
    data: { text: 'a\ufffd', 'n\ufffd': ['\ufffdx'], whole: '\ud83d\ude00', escape: '\\ud800' },
    meta: { warnings: ['not_well_formed: half of a character was replaced by U+FFFD'] },
  })
  const { answer: plain } = await answerOf(() => ({ ok: true, data: { whole: '\ud83d\ude00', escape: '\\ud800' } }))
  expect(plain.meta.warnings).toBeUndefined()
})
