// What a handler throws, with the answer to it.
import { ToolError } from '../../index.js'
import { openGate } from '../support/gate.mjs'
import { SECRET, answerOf, internal } from '../support/handler-outcome.mjs'

describe('what is thrown', () => {
  const fake = new Proxy(
    {},
    {
      get() {
        throw new Error(SECRET)
      },
      has() {
        throw new Error(SECRET)
      },
    },
  )
  const getters = {
    get type() {
      throw new Error(SECRET)
    },
    get code() {
      throw new Error(SECRET)
    },
  }
  const half = {
    type: 'PERMANENT',
    get message() {
      throw new Error(SECRET)
    },
  }

  test.each([
    ['a text', SECRET],
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['a symbol', Symbol(SECRET)],
    ['an Error', new Error(SECRET)],
    ['a TypeError', new TypeError(SECRET)],
    ['an error with a cause', new Error('x', { cause: new Error(SECRET) })],
    ['an object', { message: SECRET }],
    ['a function', () => SECRET],
    ['a proxy that throws', fake],
    ['getters that throw', getters],
    ['a message that throws', half],
    ['a made-up type', { type: 'OOPS', message: SECRET }],
    ['an inherited name as type', { type: 'constructor', message: SECRET }],
    ['a type of the gate', { type: 'MODE_RESTRICTED', message: SECRET }],
    ['INTERNAL', new ToolError('INTERNAL', SECRET)],
  ])('%s is INTERNAL, and nothing of it is told', async (_what, thrown) => {
    for (const execute of [
      () => {
        throw thrown
      },
      async () => {
        throw thrown
      },
    ]) {
      const ended = await answerOf(execute)
      internal(ended, /`probe` failed unexpectedly/)
      expect(JSON.stringify(ended.answer)).not.toMatch(/hunter2|handler-errors|handler-outcome|node_modules/)
    }
  })

  test('the host hears of what was thrown, with its tool and session', async () => {
    const heard = []
    const error = new Error(SECRET)
    const { session } = await openGate(
      {
        probe: {
          execute: () => {
            throw error
          },
        },
      },
      { onHandlerError: (...args) => heard.push(args) },
    )
    await (await session({ sessionId: 's1' })).execute({ name: 'probe' })
    expect(heard).toEqual([[error, { toolId: 'probe', sessionId: 's1' }]])
  })

  test('a host that throws in its own report harms nothing', async () => {
    const { session } = await openGate(
      {
        probe: {
          execute: () => {
            throw new Error('x')
          },
        },
      },
      {
        onHandlerError: () => {
          throw new Error('y')
        },
      },
    )
    expect((await (await session()).execute({ name: 'probe' })).error.type).toBe('INTERNAL')
  })

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
  ])('a ToolError %s says what it says', async type => {
    const options = {
      retryable: false,
      partialSideEffects: true,
      idempotencyRequired: true,
      details: { a: [1] },
      suggestion: 's',
      retryAfterMs: 7,
    }
    const { answer, thrown } = await answerOf(() => {
      throw new ToolError(type, 'in words', { ...options, cause: new Error(SECRET) })
    })
    expect(answer.error).toEqual({ type, message: 'in words', ...options })
    expect(thrown).toEqual([])
  })

  test('an error of another copy of the class is known by its type', async () => {
    const { answer } = await answerOf(() => {
      throw Object.assign(new Error('gone'), { type: 'PERMANENT' })
    })
    expect(answer.error).toMatchObject({ type: 'PERMANENT', message: 'gone', retryable: false })
  })

  test('members of the wrong type are dropped, the rest stays', async () => {
    const { answer } = await answerOf(() => {
      throw {
        type: 'PERMANENT',
        message: 'm',
        retryable: 'yes',
        partialSideEffects: 1,
        suggestion: {},
        retryAfterMs: '5',
        details: { n: 1n },
      }
    })
    expect(answer.error).toEqual({ type: 'PERMANENT', message: 'm', retryable: false, partialSideEffects: false })
  })

  test.each([
    [1.4, 1],
    [-5, 0],
    [NaN, undefined],
    [Infinity, undefined],
    [1e300, Number.MAX_SAFE_INTEGER],
  ])('retryAfterMs of %p is told as %p', async (retryAfterMs, told) => {
    const { answer } = await answerOf(() => {
      throw new ToolError('PERMANENT', 'm', { retryAfterMs })
    })
    expect([answer.error.type, answer.error.retryAfterMs]).toEqual(['PERMANENT', told])
  })

  test.each([
    ['its message', { message: 'cut \ud83d' }],
    ['its suggestion', { suggestion: 'cut \ud83d' }],
    ['its details', { details: { text: 'cut \ud83d' } }],
  ])('half a character in %s keeps its type', async (_what, members) => {
    const thrown = await answerOf(() => {
      throw { type: 'PERMANENT', message: 'm', ...members }
    })
    const returned = await answerOf(() => ({ ok: false, error: { type: 'PERMANENT', message: 'm', ...members } }))
    for (const { answer } of [thrown, returned]) expect(answer.error.type).toBe('PERMANENT')
    expect(JSON.stringify(thrown.answer.error)).toContain('cut \ufffd')
  })

  test('what only looks like half a character stays', async () => {
    const message = 'the escape \\ud83d, and \\\\ud83d'
    expect(
      (
        await answerOf(() => {
          throw new ToolError('PERMANENT', message)
        })
      ).answer.error.message,
    ).toBe(message)
  })

  test('a message that is no text is told as text', async () => {
    expect(
      (
        await answerOf(() => {
          throw { type: 'PERMANENT', message: 404 }
        })
      ).answer.error.message,
    ).toBe('404')
  })

  test.each(['ECONNRESET', 'ETIMEDOUT', 'ECONNREFUSED', 'EAI_AGAIN', 'EPIPE', 'UND_ERR_CONNECT_TIMEOUT'])(
    "the network code %s is TRANSIENT, without the host's name",
    async code => {
      for (const error of [
        Object.assign(new Error(SECRET), { code }),
        new TypeError('fetch failed', { cause: Object.assign(new Error(SECRET), { code }) }),
      ]) {
        const { answer } = await answerOf(
          () => {
            throw error
          },
          { kind: 'read', retry: { maxAttempts: 1 } },
        )
        expect(answer.error).toMatchObject({ type: 'TRANSIENT', retryable: true, partialSideEffects: false })
        expect(JSON.stringify(answer)).not.toContain('hunter2')
      }
    },
  )

  test.each([
    [408, 'TRANSIENT'],
    [425, 'TRANSIENT'],
    [429, 'TRANSIENT'],
    [500, 'TRANSIENT'],
    [503, 'TRANSIENT'],
    [400, 'INTERNAL'],
    [404, 'INTERNAL'],
    ['503', 'INTERNAL'],
  ])('the HTTP status %p is %s', async (status, type) => {
    for (const error of [{ status }, { statusCode: status }, { response: { status } }]) {
      const { answer } = await answerOf(
        () => {
          throw Object.assign(new Error(SECRET), error)
        },
        { kind: 'read', retry: { maxAttempts: 1 } },
      )
      expect(answer.error.type).toBe(type)
    }
  })

  test('a network failure of a write may have taken effect', async () => {
    const { answer } = await answerOf(
      () => {
        throw Object.assign(new Error('x'), { code: 'ECONNRESET' })
      },
      { kind: 'write' },
    )
    expect(answer.error).toMatchObject({ type: 'TRANSIENT', retryable: false, partialSideEffects: true })
  })
})
