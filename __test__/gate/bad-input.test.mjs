// Whatever arrives as a call: one defined answer each, nothing polluted, and the session works afterwards.
import { createHash } from 'node:crypto'

import { validateToolResponse } from '../../index.js'
import { openGate } from '../support/gate.mjs'

const MIB = 2 ** 20
const DEEP = 100_000

/** A tool that takes anything, and keeps what it got. */
const TOOLS = got => ({
  any: {
    properties: { a: {}, b: {} },
    execute: ({ args }) => {
      got.push(args)
      return { ok: true, data: args }
    },
  },
})

async function opened(options) {
  const got = []
  const gate = await openGate(TOOLS(got), options)
  const session = await gate.session({ policy: { totalCalls: 1000 } })
  return { ...gate, got, session }
}

/** Runs a call on a fresh session; afterwards an ordinary call must run. */
async function answerTo(call, options) {
  const { session, got } = await opened(options)
  const answer = await session.execute(call)
  expect(validateToolResponse(answer)).toBe(true)
  expect(JSON.parse(await session.executeText(call)).error?.type).toBe(answer.error?.type)
  expect(await session.execute({ id: 'call_afterwards_1', name: 'any', args: { a: 'still here' } })).toMatchObject({
    ok: true,
    data: { a: 'still here' },
  })
  expect({}.polluted).toBeUndefined()
  expect(Object.prototype).not.toHaveProperty('a')
  return { answer, got: got.slice(0, -1) }
}

const argsOf = async (args, options) => (await answerTo({ name: 'any', args }, options)).answer

const nestedText = `{"a":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`
function nestedObject(depth) {
  let value = []
  for (let n = 1; n < depth; n += 1) value = [value]
  return { a: value }
}

function refused(answer, pointer) {
  expect(answer).toMatchObject({
    ok: false,
    intents: [],
    error: {
      type: 'VALIDATION',
      retryable: false,
      partialSideEffects: false,
      message: expect.stringMatching(/^[^A-Z{].{8,}/),
    },
  })
  expect(answer.error.details).toEqual([
    expect.objectContaining({
      instancePath: pointer,
      schemaPath: expect.any(String),
      keyword: expect.any(String),
      params: expect.any(Object),
      message: expect.any(String),
    }),
  ])
  expect(answer.error.message.length).toBeLessThan(600)
}

describe('arguments as bytes', () => {
  const text = '{"a":"Größe 😂"}'

  test.each([
    ['a Buffer', Buffer.from(text)],
    ['a part of one', Buffer.from(`xx${text}yy`).subarray(2, -2)],
    ['a Uint8Array', new TextEncoder().encode(text)],
  ])('%s is the text that it encodes', async (_what, args) => {
    expect(await argsOf(args)).toMatchObject({ ok: true, data: { a: 'Größe 😂' } })
  })

  test('are told apart from other bytes under one id, and are the same call as their text', async () => {
    const { session, got } = await opened()
    const call = args => session.execute({ id: 'call_bytes_0001', name: 'any', args })
    expect(await call(Buffer.from(text))).toMatchObject({ ok: true, data: { a: 'Größe 😂' } })
    expect(await call(text)).toMatchObject({ ok: true, meta: { _idempotent_cache_hit: true } })
    expect(await call(Buffer.from('{}'))).toMatchObject({ ok: false, error: { type: 'CONFLICT' } })
    expect(got).toHaveLength(1)
  })

  test('that are not UTF-8 are refused', async () => {
    for (const bytes of [
      Buffer.from([0x7b, 0xff, 0x7d]),
      Buffer.from('{"a":"Größe"}', 'latin1'),
      Buffer.from('{}', 'utf16le').subarray(0, 3),
    ]) {
      refused(await argsOf(bytes), '')
    }
    expect((await argsOf(Buffer.from([0xff]))).error.message).toMatch(/not UTF-8/)
  })

  test('of a call among others', async () => {
    const { session } = await opened()
    const [good, bad] = await session.executeAll([
      { name: 'any', args: Buffer.from(text) },
      { name: 'any', args: Buffer.from([0xff]) },
    ])
    expect(good).toMatchObject({ ok: true, data: { a: 'Größe 😂' } })
    expect(bad).toMatchObject({ ok: false, error: { type: 'VALIDATION' } })
  })
})

describe('arguments that mean none', () => {
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['an empty text', ''],
    ['blanks', ' \n\t'],
    ['the text null', 'null'],
    ['{}', {}],
    ['the text {}', '{}'],
  ])('%s', async (_what, args) => {
    expect(await argsOf(args)).toMatchObject({ ok: true, data: {} })
  })

  test('no args member at all', async () => {
    expect((await answerTo({ name: 'any' })).answer.ok).toBe(true)
  })
})

describe('arguments that are no object', () => {
  test.each([
    ['a list', []],
    ['a list of objects', [{ a: 1 }]],
    ['a number', 7],
    ['a boolean', true],
    ['a list as text', '[]'],
    ['a number as text', '7'],
    ['a text as JSON', '"a"'],
    ['a boolean as text', 'false'],
  ])('%s', async (_what, args) => refused(await argsOf(args), ''))

  test.each([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a BigInt', 5n],
  ])('%s', async (_what, args) => refused(await argsOf(args), ''))
})

describe('text that is no JSON', () => {
  test.each([
    ['words', 'tea, please', ''],
    ['cut in a value', '{"a":"te', '/a'],
    ['cut after a comma', '{"a":1,', ''],
    ['single quotes', "{'a':1}", ''],
    ['a trailing comma', '{"a":1,}', ''],
    ['two values', '{}{}', ''],
    ['a comment', '{/* */}', ''],
    ['NaN', '{"a":NaN}', '/a'],
    ['Infinity', '{"a":-Infinity}', '/a'],
    ['a leading zero', '{"a":01}', ''],
    ['a plain tab in a text', '{"a":"\t"}', '/a'],
    ['an unknown escape', '{"a":"\\x41"}', '/a'],
    ['a byte order mark', '\uFEFF{}', ''],
  ])('%s, with the place', async (_what, args, pointer) => refused(await argsOf(args), pointer))

  test('a NUL character within', async () => refused(await argsOf('{"a":"\u0000"}'), '/a'))

  test('what went wrong is told with a position, not with the whole text', async () => {
    const { error } = await argsOf(`{"a":1,"b":${'x'.repeat(5000)}}`)
    expect(error.message.length).toBeLessThan(300)
  })
})

describe('sizes and depths', () => {
  test.each([
    ['text', nestedText],
    ['an object', nestedObject(DEEP)],
  ])('100,000 levels, as %s', async (_what, args) => {
    const { error } = await argsOf(args)
    expect(error.type).toBe('VALIDATION')
    expect(error.message).toMatch(/deep|nested|levels/)
    expect(JSON.stringify(error).length).toBeLessThan(5000)
  })

  test('64 levels pass, 65 do not', async () => {
    expect((await argsOf(nestedObject(63))).ok).toBe(true)
    const { error } = await argsOf(nestedObject(64))
    expect(error.message).toMatch(/64/)
  })

  test.each([
    ['text', `{"a":"${'x'.repeat(2 * MIB)}"}`],
    ['an object', { a: 'x'.repeat(2 * MIB) }],
  ])('2 MiB, as %s', async (_what, args) => {
    const answer = await argsOf(args)
    refused(answer, '')
    expect(answer.error.message).toMatch(/1048576|1 MiB/)
  })

  test('exactly 1 MiB passes, a byte more does not; the limit counts bytes', async () => {
    const room = MIB - '{"a":""}'.length
    expect((await argsOf({ a: 'x'.repeat(room) })).ok).toBe(true)
    expect((await argsOf({ a: 'x'.repeat(room + 1) })).error.type).toBe('VALIDATION')
    expect((await argsOf({ a: 'é'.repeat(room / 2 + 1) })).error.type).toBe('VALIDATION')
  })

  test('white space alone is no arguments, however long', async () => {
    const { answer, got } = await answerTo({ name: 'any', args: ' '.repeat(2 * 1024 * 1024) })
    expect(answer.ok).toBe(true)
    expect(got).toEqual([{}])
    expect((await argsOf(`${' '.repeat(2 * 1024 * 1024)}{}`)).error.type).toBe('VALIDATION')
  })

  test("the host's own limit", async () => {
    expect((await argsOf({ a: 'xxxxxxxxxxxxxxxxxxxxxxxx' }, { limits: { maxArgsBytes: 24 } })).error.type).toBe(
      'VALIDATION',
    )
  })

  test('a million members', async () => {
    const { answer, got } = await answerTo({ name: 'any', args: `{"a":[${'0,'.repeat(400_000)}0]}` })
    expect(answer.ok).toBe(true)
    expect(got[0].a).toHaveLength(400_001)
  })
})

describe('keys', () => {
  const hostile = ['{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}']

  test.each(hostile)('%s is an unknown property', async args => {
    refused(await argsOf(args), '')
    refused(await argsOf(JSON.parse(args)), '')
  })

  test.each(['{"a":{"__proto__":{"polluted":true}}}', '{"a":{"constructor":1,"toString":2,"hasOwnProperty":3}}'])(
    '%s within passes as plain data',
    async args => {
      const { answer, got } = await answerTo({ name: 'any', args })
      expect(JSON.stringify(got[0])).toBe(args)
      expect(JSON.stringify(answer.data)).toBe(args)
      expect(got[0].a.polluted).toBeUndefined()
      expect(Object.getPrototypeOf(got[0].a)).toBe(Object.getPrototypeOf(JSON.parse('{}')))
    },
  )

  test('of an object with an own __proto__', async () => {
    const args = JSON.parse('{"a":{"__proto__":{"polluted":true}}}')
    const { got } = await answerTo({ name: 'any', args })
    expect(Object.hasOwn(got[0].a, '__proto__')).toBe(true)
  })

  test('an object without a prototype', async () => {
    expect((await argsOf(Object.assign(Object.create(null), { a: 1 }))).data).toEqual({ a: 1 })
  })

  test.each([
    ['{"a":1,"a":2}', { a: 2 }],
    ['{"a":{"b":1,"b":2},"b":0}', { a: { b: 2 }, b: 0 }],
    ['{"\\u0061":1,"a":2}', { a: 2 }],
  ])('%s names a member twice: the last counts, as JSON.parse has it', async (args, expected) => {
    const { answer, got } = await answerTo({ name: 'any', args })
    expect([answer.data, got[0]]).toEqual([expected, expected])
  })

  test('what is checked is what the handler gets: no value hides behind a second one', async () => {
    const got = []
    const { session } = await openGate({
      strict: {
        properties: { a: { type: 'string' } },
        execute: ({ args }) => {
          got.push(args)
          return { ok: true }
        },
      },
    })
    const run = async args => (await (await session()).execute({ name: 'strict', args })).error?.type ?? 'ok'
    expect([await run('{"a":"fine","a":5}'), await run('{"a":5,"a":"fine"}')]).toEqual(['VALIDATION', 'ok'])
    expect(got).toEqual([{ a: 'fine' }])
  })
})

describe('texts and numbers', () => {
  test.each([
    ['raw in text', '{"a":"\ud800"}'],
    ['as an escape', '{"a":"\\ud800"}'],
    ['a low one first', '{"a":"\\udc00\\ud800"}'],
    ['in an object', { a: 'x\udfff' }],
    ['in a list', { a: ['ok', '\ud83d'] }],
  ])('half a character %s', async (_what, args) => {
    const { error } = await argsOf(args)
    expect(error.type).toBe('VALIDATION')
    expect(error.details[0].instancePath).toMatch(/^\/a/)
    expect(error.message).toMatch(/surrogate/)
  })

  test.each([
    ['in text', '{"\\ud800":1}'],
    ['in an object', { '\ud800': 1 }],
    ['raw', '{"\ud800":1}'],
  ])('half a character in a key, %s', async (_what, args) => {
    expect((await argsOf(args)).error.type).toBe('VALIDATION')
  })

  test('whole characters pass, escaped or not', async () => {
    expect((await argsOf('{"a":"\\ud83d\\ude00 😀 \\u0000"}')).data).toEqual({ a: '😀 😀 \u0000' })
  })

  test.each(['1e400', '-1e400', `1${'0'.repeat(400)}`])('the number %s is beyond a double', async number => {
    const answer = await argsOf(`{"a":${number}}`)
    refused(answer, '/a')
  })

  test.each(['1e-400', '5e-324', '-0', '1.7976931348623157e308', '9007199254740993', '0.1', '1E2'])(
    'the number %s arrives as JSON.parse reads it',
    async number => {
      const { got } = await answerTo({ name: 'any', args: `{"a":${number}}` })
      expect(got[0].a).toBe(JSON.parse(number))
    },
  )
})

describe("objects that JSON can't carry", () => {
  const cycle = { b: {} }
  cycle.b.a = cycle
  const secret = "the getter's secret"

  test.each([
    ['a BigInt', { a: 1n }, /BigInt/],
    ['a cycle', { a: cycle }, /cycle/],
    [
      'a getter that throws',
      {
        get a() {
          throw new Error(secret)
        },
      },
      /throws when it is serialized/,
    ],
    [
      'a getter that throws nothing',
      {
        get a() {
          throw undefined
        },
      },
      /throws when it is serialized/,
    ],
    [
      'a toJSON that throws',
      {
        a: {
          toJSON() {
            throw new Error(secret)
          },
        },
      },
      /throws when it is serialized/,
    ],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error(secret)
          },
        },
      ),
      /throws when it is serialized/,
    ],
  ])('%s', async (_what, args, message) => {
    const answer = await argsOf(args)
    refused(answer, '')
    expect(answer.error.message).toMatch(message)
    expect(JSON.stringify(answer)).not.toContain(secret)
  })

  test('what JSON leaves out is left out', async () => {
    expect((await argsOf({ a: undefined, b: [() => 1, NaN, Infinity] })).data).toEqual({ b: [null, null, null] })
  })

  test("the handler's arguments are its own", async () => {
    const args = { a: { b: 1 } }
    const { got } = await answerTo({ name: 'any', args })
    got[0].a.b = 2
    expect(args).toEqual({ a: { b: 1 } })
  })
})

describe('calls', () => {
  test.each([
    ['null', null],
    ['undefined', undefined],
    ['a text', 'any'],
    ['a number', 7],
    ['an empty object', {}],
    ['a list', []],
    ['an empty name', { name: '' }],
    ['a name that is null', { name: null }],
    ['a numeric name', { name: 7 }],
    ['a name in an object', { name: { name: 'any' } }],
  ])('%s has no tool name', async (_what, call) => {
    const { answer } = await answerTo(call)
    expect(answer).toMatchObject({
      ok: false,
      error: { type: 'VALIDATION', message: expect.stringContaining('name'), retryable: false },
      meta: { toolVersion: null },
    })
  })

  test.each(['Any', 'any ', '__proto__', 'constructor', 'an\ud800y', 'x'.repeat(MIB), '../any', 'any\u0000'])(
    'the name %.20p is no tool',
    async name => {
      const { answer } = await answerTo({ name, args: {} })
      expect(answer).toMatchObject({
        ok: false,
        error: { type: 'NOT_FOUND', retryable: false, partialSideEffects: false },
        meta: { toolVersion: null },
      })
      expect(answer.error.message.length).toBeLessThan(200)
    },
  )

  test('the nearest name is suggested', async () => {
    expect((await answerTo({ name: 'anny' })).answer.error.suggestion).toContain('`any`')
  })

  test('a numeric id is its text', async () => {
    const { answer } = await answerTo({ id: 1234567890, name: 'any' })
    expect(answer).toMatchObject({ ok: true, meta: { callId: '1234567890' } })
  })

  test.each([[''], [null], [undefined]])('the id %p is none', async id => {
    const { session } = await opened()
    expect((await session.execute({ id, name: 'any', args: {} })).meta).not.toHaveProperty('callId')
  })

  test.each([
    ['an object', {}],
    ['a list', ['x']],
    ['a boolean', true],
    ['a symbol', Symbol('s')],
    ['an object that has no text', Object.create(null)],
    ['a function', () => 1],
  ])('an id that is %s names nothing: two such calls are told apart by what they ask', async (_what, id) => {
    const { session, got } = await opened()
    const answers = [
      await session.execute({ id, name: 'any', args: { a: 1 } }),
      await session.execute({ id, name: 'any', args: { a: 2 } }),
    ]
    expect(answers.map(({ ok, data }) => [ok, data])).toEqual([
      [true, { a: 1 }],
      [true, { a: 2 }],
    ])
    expect(answers[0].meta).not.toHaveProperty('callId')
    expect(got).toHaveLength(2)
  })

  test('a long id, and one with strange characters, are ids like others', async () => {
    const { session, got } = await opened()
    const ids = ['i'.repeat(10_000), 'call\u0000\n"😀', '__proto__#1234']
    for (const id of ids) {
      const shown = id.length < 512 ? id : `sha256:${createHash('sha256').update(id).digest('hex')}`
      expect((await session.execute({ id, name: 'any', args: {} })).meta.callId).toBe(shown)
      expect((await session.execute({ id, name: 'any', args: {} })).meta._idempotent_cache_hit).toBe(true)
    }
    expect(got).toHaveLength(ids.length)
  })

  test('executeAll answers each of a bad lot', async () => {
    const { session } = await opened()
    const answers = await session.executeAll([
      null,
      { name: 'any', args: '{' },
      { name: 'nope' },
      { name: 'any', args: { a: 1 } },
      5,
    ])
    expect(answers.map(answer => answer.error?.type ?? 'ok')).toEqual([
      'VALIDATION',
      'VALIDATION',
      'NOT_FOUND',
      'ok',
      'VALIDATION',
    ])
    answers.forEach(validateToolResponse)
  })
})

test('an id with a lone surrogate is refused, and is not the id of another call', async () => {
  const { session, got } = await opened()
  const wellFormed = { id: 'call_\ufffd_00001', name: 'any', args: { a: 1 } }
  expect((await session.execute(wellFormed)).ok).toBe(true)
  const refusal = {
    type: 'VALIDATION',
    message: "the call's id contains a lone surrogate; an id must be well-formed Unicode text",
  }
  for (const id of ['call_\ud800_00001', 'call_\udfff_00001']) {
    expect(await session.execute({ ...wellFormed, id })).toMatchObject({ ok: false, error: refusal })
    expect(await session.executeAll([{ ...wellFormed, id }])).toMatchObject([{ ok: false, error: refusal }])
    expect([session.cancel(id), await session.decline(id)]).toEqual([false, false])
  }
  expect(got).toEqual([{ a: 1 }])
  await expect(session.beginTurn('\ud800')).rejects.toThrow(TypeError)
})

test('a session id or principal with a lone surrogate is a TypeError', async () => {
  const gate = await openGate(TOOLS([]))
  for (const options of [{ sessionId: 's\ud800' }, { sessionId: 's', principal: '\udc00' }])
    await expect(gate.session(options)).rejects.toThrow(/must not contain a lone surrogate/)
})
