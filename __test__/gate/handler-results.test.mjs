// What a handler returns, with the answer to it.
import { ToolError, failure, success, validateToolResponse } from '../../index.js'
import { openGate, probe } from '../support/gate.mjs'
import { SECRET, answerOf, internal } from '../support/handler-outcome.mjs'

describe('what is returned: both sync and as a promise', () => {
  const each = (name, value, check) =>
    test.each([
      ['sync', () => value],
      ['async', async () => value],
    ])(`${name}, %s`, async (_how, execute) => check(await answerOf(execute)))

  each('a success', { ok: true, data: { a: [1, 'é', null] } }, ({ answer }) =>
    expect(answer).toMatchObject({ ok: true, data: { a: [1, 'é', null] }, intents: [] }),
  )
  each('a success without data', { ok: true }, ({ answer }) => expect(answer).not.toHaveProperty('data'))
  each('a success that holds null', { ok: true, data: null }, ({ answer }) => expect(answer.data).toBeNull())
  each('success()', success([1]), ({ answer }) => expect(answer.data).toEqual([1]))
  each(
    'failure()',
    failure('NOT_FOUND', 'no record `7`', { details: { near: ['8'] }, suggestion: 'try `8`' }),
    ({ answer }) =>
      expect(answer.error).toEqual({
        type: 'NOT_FOUND',
        message: 'no record `7`',
        retryable: false,
        partialSideEffects: false,
        details: { near: ['8'] },
        suggestion: 'try `8`',
      }),
  )
  each('a failure without retryable', { ok: false, error: { type: 'TRANSIENT', message: 'busy' } }, ({ answer }) =>
    expect(answer.error).toMatchObject({ type: 'TRANSIENT', retryable: false }),
  )
  each('nothing', undefined, ended => internal(ended, /returned nothing/))
  each('null', null, ended => internal(ended, /returned nothing/))
  each('a text', 'done', ended => internal(ended, /not an object/))
  each('a list', [{ ok: true }], ended => internal(ended, /not an object/))
  each('a number', 7, ended => internal(ended, /not an object/))
  each(
    'a function',
    () => 1,
    ended => internal(ended),
  )
  each('a symbol', Symbol('s'), ended => internal(ended))
  each('an empty object', {}, ended => internal(ended, /no boolean `ok`/))
  each('ok that is no boolean', { ok: 1 }, ended => internal(ended, /no boolean `ok`/))
  each('a bare failure', { ok: false }, ended => internal(ended, /without an `error`/))
  each('an error that is a text', { ok: false, error: 'no such order' }, ({ answer }) =>
    expect(answer.error).toEqual({
      type: 'PERMANENT',
      message: 'no such order',
      retryable: false,
      partialSideEffects: false,
    }),
  )
  each('an error that is an empty text', { ok: false, error: ' ' }, ended => internal(ended, /without an `error`/))
  each('own warnings', success(1, { warnings: ['from a cache'] }), ({ answer }) =>
    expect(answer.meta.warnings).toEqual(['from a cache']),
  )
  each('own warnings of a failure', failure('NOT_FOUND', 'm', { warnings: ['from a cache'] }), ({ answer }) =>
    expect([answer.error.type, answer.meta.warnings]).toEqual(['NOT_FOUND', ['from a cache']]),
  )
  each('warnings that are none', { ok: true, meta: { warnings: [1, 'a'.repeat(300)], turn: 9 } }, ({ answer }) =>
    expect([answer.meta.warnings, answer.meta.turn]).toEqual([['a'.repeat(200)], 1]),
  )
  each('an error without type', { ok: false, error: { message: 'm' } }, ended => internal(ended, /`type`/))
  each('an unknown error type', { ok: false, error: { type: 'OOPS', message: 'm' } }, ended =>
    internal(ended, /`OOPS`/),
  )
  each('a BigInt', { ok: true, data: { n: [1n] } }, ended => internal(ended, /: `\/data\/n\/0` is a BigInt$/))
  each('functions in data are left out', { ok: true, data: { f: () => 1, a: 1 } }, ({ answer }) =>
    expect(answer.data).toEqual({ a: 1 }),
  )
  each('an error beside ok', { ok: true, data: 1, error: { type: 'PERMANENT', message: 'm' } }, ({ answer }) => {
    expect([answer.ok, answer.data, 'error' in answer]).toEqual([true, 1, false])
    expect(answer.meta.warnings.join()).toContain('`error`')
  })
  each('data beside a failure', { ok: false, data: 1, error: { type: 'PERMANENT', message: 'm' } }, ({ answer }) =>
    expect(answer).not.toHaveProperty('data'),
  )
  each('a meta of its own', { ok: true, meta: { toolId: 'another', callId: 'x' } }, ({ answer }) =>
    expect(answer.meta).toMatchObject({ toolId: 'probe' }),
  )

  test.each([
    'MODE_RESTRICTED',
    'BUDGET_EXCEEDED',
    'LOOP_DETECTED',
    'CONFIRMATION_REQUIRED',
    'CONFIRMATION_EXPIRED',
    'CANCELLED',
    'INTERNAL',
  ])("%s is the gate's to say", async type => internal(await answerOf(() => failure(type, 'm'))))

  test.each([
    'VALIDATION',
    'NOT_FOUND',
    'AUTH',
    'RATE_LIMIT',
    'SESSION_INACTIVE',
    'SESSION_ACTIVE',
    'CONFLICT',
    'TRANSIENT',
    'PERMANENT',
  ])("%s is a handler's to say", async type => {
    const { answer } = await answerOf(() =>
      failure(type, 'm', { retryable: true, partialSideEffects: true, retryAfterMs: 5, idempotencyRequired: true }),
    )
    expect(answer.error).toEqual({
      type,
      message: 'm',
      retryable: true,
      partialSideEffects: true,
      retryAfterMs: 5,
      idempotencyRequired: true,
    })
  })

  test('a cycle', async () => {
    const data = {}
    data.self = data
    internal(await answerOf(() => ({ ok: true, data })), /cycle/)
  })

  test.each([
    [
      'a getter',
      {
        ok: true,
        get data() {
          throw new Error(SECRET)
        },
      },
    ],
    [
      'a toJSON',
      {
        toJSON() {
          throw new Error(SECRET)
        },
      },
    ],
  ])('%s that throws tells nothing of it', async (_what, value) => {
    const ended = await answerOf(() => value)
    internal(ended)
    expect(JSON.stringify(ended.answer)).not.toContain('hunter2')
  })

  test('a hundred thousand levels', async () => {
    let data = []
    for (let n = 0; n < 100_000; n += 1) data = [data]
    internal(await answerOf(() => ({ ok: true, data })), /deep/)
  })

  test('data deep-equals its JSON text: what JSON writes in its own way, and members that it leaves out', async () => {
    const { answer } = await answerOf(() => ({
      ok: true,
      data: { when: new Date(0), none: undefined, run: () => 1, neg: -0, big: 1e21, at: new URL('http://a.example/') },
    }))
    expect(answer.data).toEqual({ when: '1970-01-01T00:00:00.000Z', neg: 0, big: 1e21, at: 'http://a.example/' })
    expect(JSON.parse(JSON.stringify(answer.data))).toEqual(answer.data)
  })

  test('half a character in data is replaced', async () => {
    expect((await answerOf(() => ({ ok: true, data: { cut: '\ud83d' } }))).answer.data).toEqual({ cut: '\ufffd' })
  })

  test('a __proto__ in data is plain data', async () => {
    const { answer } = await answerOf(() => ({ ok: true, data: JSON.parse('{"__proto__":{"polluted":true}}') }))
    expect(Object.hasOwn(answer.data, '__proto__')).toBe(true)
    expect({}.polluted).toBeUndefined()
  })
})

describe('results of older layers', () => {
  test.each([
    [
      { success: true, data: { a: 1 } },
      { ok: true, data: { a: 1 } },
    ],
    [
      { success: false, error: 'no room' },
      { ok: false, error: { type: 'PERMANENT', message: 'no room' } },
    ],
    [
      { success: false, error: { type: 'NOT_FOUND', message: 'none' } },
      { ok: false, error: { type: 'NOT_FOUND', message: 'none' } },
    ],
    [
      { ok: false, error: { type: 'RATE_LIMIT', message: 'slow', retryAfter: 2 } },
      { ok: false, error: { retryAfterMs: 2000 } },
    ],
  ])('%j is taken', async (result, expected) => {
    const { answer } = await answerOf(() => result)
    expect(answer).toMatchObject(expected)
    expect(answer.meta).not.toHaveProperty('warnings')
    expect(validateToolResponse(answer, { strict: true })).toBe(true)
  })

  test('members that a result does not have are named', async () => {
    const { answer } = await answerOf(() => ({ ok: true, data: 1, stream: true, backgroundTaskId: 'b1' }))
    expect(answer.data).toBe(1)
    expect(answer.meta.warnings).toEqual([expect.stringMatching(/`stream`, `backgroundTaskId`/)])
  })

  test('a retryAfter of a thrown error is in seconds', async () => {
    const { answer } = await answerOf(() => {
      throw { type: 'RATE_LIMIT', message: 'slow', retryAfter: 0.5, retryable: false }
    })
    expect(answer.error.retryAfterMs).toBe(500)
  })
})

describe('sizes', () => {
  const text = length => 'x'.repeat(length)
  const limits = { maxResultBytes: 1000 }
  const answerWithin = async (execute, options = { limits }) => {
    const { session } = await openGate({ probe: { execute } }, options)
    return (await session()).execute({ name: 'probe' })
  }
  const tooLarge = answer => {
    internal({ answer }, /its result is too large: a handler may return at most \d+ bytes of JSON/)
  }

  test.each([
    ['a text', text(2000)],
    ['a list of numbers', Array.from({ length: 600 }, () => 1)],
    ['names of members', Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`member_${n}`, 1]))],
    ['bytes', Buffer.alloc(600)],
    ['what grows when it is written', { toJSON: () => text(2000) }],
    ['two bytes a letter', text(500).replaceAll('x', 'é')],
    ['a text that occurs often', Array.from({ length: 100 }, () => text(20))],
  ])('%s over maxResultBytes is refused', async (_what, data) => {
    tooLarge(await answerWithin(() => ({ ok: true, data })))
  })

  test.each([
    ['a text', text(900)],
    ['nested lists', [[[[1, 2, 3]], [], {}]]],
    ['members that JSON leaves out', { a: undefined, [Symbol('b')]: text(2000), c: () => text(2000) }],
    ['a date', [new Date(0)]],
  ])('%s within maxResultBytes passes', async (_what, data) => {
    const answer = await answerWithin(() => ({ ok: true, data }))
    expect(answer).toMatchObject({ ok: true, data: JSON.parse(JSON.stringify(data)) })
  })

  test('a result that is far too large is never serialized', async () => {
    let written = false
    const last = {
      toJSON() {
        written = true
      },
    }
    tooLarge(await answerWithin(() => ({ ok: true, data: [text(20_000_000), last] }), {}))
    expect(written).toBe(false)
  })

  test('a text of 550 MB is named for what it is', async () => {
    const long = text(2 ** 19)
    tooLarge(await answerWithin(() => ({ ok: true, data: Array.from({ length: 1050 }, () => long) }), {}))
  })

  test.each([
    ['thrown', error => { throw new ToolError('PERMANENT', error.message, error) }], // prettier-ignore
    ['returned', error => ({ ok: false, error: { type: 'PERMANENT', ...error } })],
  ])('a failure that is %s is cut to the limit of its mode', async (_how, fail) => {
    const { session } = await openGate({
      texts: { execute: () => fail({ message: `m${text(1_000_000)}`, suggestion: `s${text(1_000_000)}` }) },
      details: { execute: () => fail({ message: 'm', suggestion: 's', details: { rows: [text(1_000_000)] } }) },
    })
    const voice = await session({ mode: 'voice' })
    const { error } = await voice.execute({ name: 'texts' })
    expect([error.message[0], error.message.at(-1), error.suggestion[0]]).toEqual(['m', ']', 's'])
    expect(JSON.stringify(error).length).toBeLessThan(9 * 1024)
    const cut = await voice.execute({ name: 'details' })
    expect(cut.error).toEqual({
      type: 'PERMANENT',
      message: 'm',
      retryable: false,
      partialSideEffects: false,
      suggestion: 's',
    })
    expect(cut.meta.warnings).toEqual([expect.stringMatching(/^`error.details` of \d+ bytes was dropped/)])
  })

  test('details over maxResultBytes are not serialized', async () => {
    const answer = await answerWithin(() => {
      throw new ToolError('PERMANENT', 'm', { details: { rows: text(2000) } })
    })
    expect(answer.error).not.toHaveProperty('details')
    expect(answer.meta.warnings).toEqual(['`error.details` was dropped: it is too large'])
  })

  test('a write whose result is too large may have had its effect', async () => {
    const { session } = await openGate(
      { probe: { kind: 'write', execute: () => ({ ok: true, data: text(2000) }) } },
      { limits },
    )
    expect((await (await session()).execute({ name: 'probe' })).error).toMatchObject({
      type: 'INTERNAL',
      partialSideEffects: true,
    })
  })

  test.each([-1, 1.5, 'many'])('a maxResultBytes of %p is refused', async maxResultBytes => {
    await expect(openGate({ probe: {} }, { limits: { maxResultBytes } })).rejects.toThrow(TypeError)
  })
})

describe('thenables', () => {
  test.each([
    [
      'twice with values',
      resolve => {
        resolve({ ok: true, data: 1 })
        resolve({ ok: true, data: 2 })
      },
    ],
    [
      'with a value, then an error',
      (resolve, reject) => {
        resolve({ ok: true, data: 1 })
        reject(new Error('late'))
      },
    ],
    [
      'with a value, then it throws',
      resolve => {
        resolve({ ok: true, data: 1 })
        throw new Error('late')
      },
    ],
    [
      'later, and again',
      resolve => {
        setImmediate(() => {
          resolve({ ok: true, data: 1 })
          resolve({ ok: true, data: 2 })
        })
      },
    ],
  ])('one that settles %s counts once', async (_how, then) => {
    const { call } = await probe(() => ({ then }))
    expect((await call({})).data).toBe(1)
    expect((await call({})).data).toBe(1)
  })

  test.each([
    ['with undefined', undefined],
    ['with null', null],
  ])('one that is rejected %s', async (_how, reason) =>
    internal(await answerOf(() => ({ then: (_, reject) => reject(reason) }))),
  )

  test('a then that throws when it is read', async () => {
    const ended = await answerOf(() => ({
      get then() {
        throw new Error(SECRET)
      },
    }))
    internal(ended)
    expect(JSON.stringify(ended.answer)).not.toContain('hunter2')
  })

  test('a result that has a member `then` which is no function is a result', async () => {
    expect((await answerOf(() => ({ ok: true, data: 1, then: 'later' }))).answer.data).toBe(1)
  })
})
