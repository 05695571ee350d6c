// Whatever arrives as a call besides its arguments: one defined answer each, and the session works afterwards.
import { createHash } from 'node:crypto'
import { validateToolResponse } from '../../index.js'
import { openGate } from '../support/gate.mjs'
import { MIB, TOOLS, answerTo, argsOf, opened, refused } from '../support/bad-input.mjs'

describe("objects that JSON can't carry", () => {
  const cycle = { b: {} }
  cycle.b.a = cycle
  const secret = "the getter's secret"

  test.each([
    ['a BigInt', { a: 1n }, /BigInt/],
    ['a cycle', { a: cycle }, /cycle/],
    ['NaN', { a: { b: NaN } }, /: `\/a\/b` is NaN$/],
    ['what JSON.parse makes of 1e400', JSON.parse('{"a":[1,-1e400]}'), /: `\/a\/1` is -Infinity$/],
    ['an invalid Date', { a: new Date(NaN) }, /: `\/a` is an invalid Date$/],
    ['NaN alone', NaN, /: it is NaN$/],
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
    expect((await argsOf({ a: undefined, b: { c: () => 1, d: null } })).data).toEqual({ b: { d: null } })
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

  test.each(['anyone', 'any ', '__proto__', 'constructor', 'an\ud800y', 'x'.repeat(MIB), '../any', 'any\u0000'])(
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
    const ids = ['i'.repeat(10_000), 'call\u0000\n"😀 and more', '__proto__#1234']
    for (const id of ids) {
      const shown = id.length < 512 ? id : `sha256:${createHash('sha256').update(id).digest('hex')}`
      expect((await session.execute({ id, name: 'any', args: {} })).meta.callId).toBe(shown)
      expect((await session.execute({ id, name: 'any', args: {} })).meta._idempotent_cache_hit).toBe(true)
    }
    expect(got).toHaveLength(ids.length)
  })

  test.each([[undefined], [null], [{ name: 'echo' }], ['echo']])('executeAll of %p throws', async calls => {
    const { session } = await opened()
    await expect(session.executeAll(calls)).rejects.toThrow(new TypeError('`executeAll` takes a list of calls'))
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
    expect([session.cancel(id), await session.deny(id)]).toEqual([false, false])
  }
  expect(got).toEqual([{ a: 1 }])
  await expect(session.beginTurn('\ud800')).rejects.toThrow(TypeError)
})

test('a session id or principal with a lone surrogate is a TypeError', async () => {
  const gate = await openGate(TOOLS([]))
  for (const options of [{ sessionId: 's\ud800' }, { sessionId: 's', principal: '\udc00' }])
    await expect(gate.session(options)).rejects.toThrow(/must not contain a lone surrogate/)
})
