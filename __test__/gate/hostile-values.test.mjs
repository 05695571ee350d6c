// Whatever a handler, a listener or a client throws, rejects with or returns: its call is answered, and the process lives.
import { HOSTILE_VALUES, revoked } from '../support/hostile-values.mjs'
import { openGate, probe } from '../support/gate.mjs'

const cases = Object.entries(HOSTILE_VALUES)

/** An unhandled rejection would end a process. */
const stray = []
const note = error => stray.push(error)
beforeAll(() => process.on('unhandledRejection', note))
afterAll(() => process.off('unhandledRejection', note))
afterEach(async () => {
  await new Promise(resolve => setTimeout(resolve, 5))
  expect(stray).toHaveLength(0)
})

const raise = value => {
  throw value
}

describe.each(cases)('%s', (_what, make) => {
  test.each([
    ['thrown', () => raise(make())],
    ['rejected with', async () => raise(make())],
    ['rejected with later', () => new Promise((_, reject) => setTimeout(() => reject(make()), 1))],
    ['the reason of a foreign thenable', () => ({ then: (_, reject) => reject(make()) })],
  ])('%s by a handler is a failure that tells nothing of it', async (_way, execute) => {
    const { call, thrown } = await probe(execute)
    const answer = await call()
    expect(answer).toMatchObject({ ok: false, error: { type: expect.stringMatching(/INTERNAL|PERMANENT/) } })
    expect(JSON.stringify(answer)).not.toContain('hunter2')
    if (answer.error.type === 'INTERNAL') expect(thrown).toHaveLength(1)
  })

  test.each([
    ['returned', () => make()],
    ['resolved with', async () => make()],
    ['returned as data', () => ({ ok: true, data: { value: make() } })],
    ['returned as an error', () => ({ ok: false, error: make() })],
    ['returned as details', () => ({ ok: false, error: { type: 'PERMANENT', message: 'x', details: make() } })],
  ])('%s by a handler is answered', async (_way, execute) => {
    const { call } = await probe(execute)
    expect(await call()).toMatchObject({ ok: expect.any(Boolean), meta: { toolId: 'probe' } })
  })

  test('thrown by the client of a message is a failed message', async () => {
    const send = async ({ context }) => {
      await context.messaging.send({ type: 'note' })
      return { ok: true }
    }
    for (const client of [() => raise(make()), async () => raise(make())]) {
      const { call } = await probe(send, {}, { messaging: client })
      expect((await call()).error.type).toBe('TRANSIENT')
    }
  })

  test('thrown by the listeners of the host harms no call', async () => {
    for (const listener of [() => raise(make()), async () => raise(make()), () => make()]) {
      const { session } = await openGate(
        { probe: { execute: () => raise(new Error('x')) } },
        { onHandlerError: listener, onLog: listener },
      )
      const listening = await session({ onToolCall: listener, onCapabilityUsed: listener, onProgress: listener })
      expect((await listening.execute({ name: 'probe', args: {} })).error.type).toBe('INTERNAL')
    }
  })
})

test('a call that is completed from elsewhere with such a value is answered', async () => {
  const { registry, call } = await probe(async ({ context }) => {
    const token = await context.completionToken()
    void registry.complete(token, revoked()).catch(() => registry.complete(token, { ok: true }))
    const { pending } = await import('../../index.js')
    return pending({ token })
  })
  expect(await call()).toMatchObject({ ok: expect.any(Boolean) })
})
