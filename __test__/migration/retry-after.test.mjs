// `retryAfter` in seconds, as handlers of the older layer give it: thrown, returned, and as a result's error.
import { ToolError, failure } from '../../index.js'
import { openGate } from '../support/gate.mjs'

const limited = options => new ToolError('RATE_LIMIT', 'too fast', options)

test.each([
  [
    'thrown',
    () => {
      throw limited({ retryAfter: 60 })
    },
  ],
  ['the error of a result', () => ({ ok: false, error: limited({ retryAfter: 60 }) })],
  ['a failure', () => failure('RATE_LIMIT', 'too fast', { retryAfter: 60, retryable: true })],
  [
    '`retryAfterMs` first',
    () => {
      throw limited({ retryAfter: 7, retryAfterMs: 60_000 })
    },
  ],
])('%s', async (_, execute) => {
  const { run } = await opened(execute)
  expect(await run()).toMatchObject({
    ok: false,
    error: { type: 'RATE_LIMIT', message: 'too fast', retryable: true, retryAfterMs: 60_000 },
  })
})

test('the member of the error', () => {
  expect(limited({ retryAfter: 0.5 }).retryAfterMs).toBe(500)
  expect(limited({}).retryAfterMs).toBeUndefined()
  expect(JSON.parse(JSON.stringify(limited({ retryAfter: 2, details: { of: 'day' }, cause: new Error('x') })))).toEqual(
    {
      type: 'RATE_LIMIT',
      message: 'too fast',
      retryable: true,
      details: { of: 'day' },
      retryAfterMs: 2000,
    },
  )
})

async function opened(execute) {
  const gate = await openGate({ probe: { execute, retry: { maxAttempts: 1 } } })
  const session = await gate.registry.createSession({ mode: 'text' })
  return { run: () => session.execute({ name: 'probe', args: {} }) }
}
