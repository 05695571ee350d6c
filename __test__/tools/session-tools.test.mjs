import { jest } from '@jest/globals'
import { execute as endVoiceSession } from '../../tools/end_voice_session/handler.js'
import { execute as ignoreUser } from '../../tools/ignore_user/handler.js'
import { execute as startVoiceSession } from '../../tools/start_voice_session/handler.js'
import { closedSocket, handlerContext } from './support/handler-context.mjs'
import { expectResult } from './support/tool-files.mjs'

const NOW = Date.parse('2026-11-02T10:00:00Z')

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(NOW))
afterEach(() => jest.restoreAllMocks())

const brokenMessaging = {
  send() {
    throw new TypeError('not a connection problem')
  },
}

describe('ignore_user', () => {
  const args = { duration_seconds: 300, farewell_message: 'Let us talk again in five minutes.' }

  test('tells the client, ends the voice session and hides the transcript', async () => {
    const { context, sent, logged } = handlerContext({ args })
    const response = await ignoreUser(context)
    const timeoutUntil = NOW + 300_000
    expect(response).toMatchObject({
      ok: true,
      data: { timeoutUntil, durationSeconds: 300, farewellMessage: args.farewell_message, farewellDelivered: true },
      intents: [
        { type: 'END_VOICE_SESSION', after: 'current_turn' },
        { type: 'SUPPRESS_TRANSCRIPT', value: true },
      ],
    })
    expectResult('ignore_user', response.data)
    expect(sent).toEqual([{ type: 'timeout', timeoutUntil, durationSeconds: 300, message: args.farewell_message }])
    expect(logged).toEqual([{ event: 'user_timeout', data: { durationSeconds: 300, timeoutUntil } }])
  })

  test('a fraction of a second still gives whole milliseconds', async () => {
    const { context } = handlerContext({ args: { ...args, duration_seconds: 30.0004 } })
    const { data } = await ignoreUser(context)
    expect(data.timeoutUntil).toBe(NOW + 30_000)
    expectResult('ignore_user', data)
  })

  test('an empty farewell is not called delivered', async () => {
    const { context } = handlerContext({ args: { ...args, farewell_message: '' } })
    expect((await ignoreUser(context)).data.farewellDelivered).toBe(false)
  })

  test('an inactive session is refused and nothing is sent', async () => {
    const { context, sent, logged } = handlerContext({ args, session: { isActive: false } })
    const response = await ignoreUser(context)
    expect(response).toMatchObject({ ok: false, error: { type: 'SESSION_INACTIVE', retryable: false } })
    expect([sent, logged]).toEqual([[], []])
  })

  test('a closed socket is retryable and blocks nobody', async () => {
    const { context, logged } = handlerContext({ args, messaging: closedSocket })
    const response = await ignoreUser(context)
    expect(response).toMatchObject({
      ok: false,
      error: { type: 'TRANSIENT', retryable: true, partialSideEffects: false },
    })
    expect(response.intents ?? []).toEqual([])
    expect(logged).toEqual([])
  })

  test('without any client it succeeds, and says that nobody received it', async () => {
    const { context, sent, logged } = handlerContext({
      args,
      capabilities: { messaging: false },
      messaging: closedSocket,
    })
    const { ok, data, intents, meta } = await ignoreUser(context)
    expect([ok, data.farewellDelivered, intents.length, sent.length]).toEqual([true, false, 2, 0])
    expect(meta).toEqual({ warnings: ['no_client'] })
    expectResult('ignore_user', data)
    expect(logged[0].data).toMatchObject({ durationSeconds: 300, warning: 'no_client' })
  })

  test('an unexpected failure of messaging is not dressed up as a closed socket', async () => {
    const { context } = handlerContext({ args, messaging: brokenMessaging })
    await expect(ignoreUser(context)).rejects.toThrow('not a connection problem')
  })

  test('waits for a client that is told asynchronously', async () => {
    const messaging = { send: async () => closedSocket.send() }
    const { context } = handlerContext({ args, messaging })
    expect(await ignoreUser(context)).toMatchObject({ ok: false, error: { type: 'TRANSIENT' } })
  })
})

describe('start_voice_session', () => {
  test('hands the pending request to the client', async () => {
    const { context, sent, logged } = handlerContext({ args: { pending_request: 'How is Tidewater?' } })
    const { ok, data } = await startVoiceSession(context)
    expect(ok).toBe(true)
    expect(data).toEqual({
      session_id: expect.stringMatching(new RegExp(`^voice-${NOW}-[0-9a-z]{6}$`)),
      pending_request: 'How is Tidewater?',
    })
    expectResult('start_voice_session', data)
    expect(sent).toEqual([
      { type: 'voice_session_start', sessionId: data.session_id, pendingRequest: 'How is Tidewater?' },
    ])
    expect(logged).toEqual([
      { event: 'voice_session_start', data: { sessionId: data.session_id, hasPendingRequest: true } },
    ])
  })

  test('an empty request is none', async () => {
    const { context, sent, logged } = handlerContext({ args: { pending_request: '' } })
    const { data } = await startVoiceSession(context)
    expect(data.pending_request).toBeNull()
    expectResult('start_voice_session', data)
    expect(sent[0].pendingRequest).toBeNull()
    expect(logged[0].data.hasPendingRequest).toBe(false)
  })

  test('each session gets its own id, in the same millisecond too', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await startVoiceSession(handlerContext().context)).data.session_id),
    )
    expect(new Set(ids).size).toBe(20)
  })

  test.each([
    ['the mode is voice', { mode: 'voice' }],
    ['the session is in voice', { session: { isActive: true, mode: 'voice' } }],
    ['a voice session runs beside the chat', { voice: { isActive: () => true } }],
  ])('refused with SESSION_ACTIVE where %s', async (_, overrides) => {
    const { context, sent, logged } = handlerContext(overrides)
    expect(await startVoiceSession(context)).toMatchObject({
      ok: false,
      error: { type: 'SESSION_ACTIVE', retryable: false },
    })
    expect([sent, logged]).toEqual([[], []])
  })

  test('without any client it succeeds, and says that nobody received it', async () => {
    const { context } = handlerContext({ capabilities: { messaging: false }, messaging: closedSocket })
    const { ok, data, meta } = await startVoiceSession(context)
    expect([ok, meta]).toEqual([true, { warnings: ['no_client'] }])
    expectResult('start_voice_session', data)
  })

  test('a closed socket is retryable and starts nothing', async () => {
    const { context, logged } = handlerContext({ messaging: closedSocket })
    expect(await startVoiceSession(context)).toMatchObject({
      ok: false,
      error: { type: 'TRANSIENT', retryable: true, partialSideEffects: false },
    })
    expect(logged).toEqual([])
  })
})

describe('end_voice_session', () => {
  test('declares the end and passes on what is left to say', async () => {
    const args = { reason: 'goodbye', final_message: 'Talk to you soon.', text_response: 'The list' }
    const { context, sent } = handlerContext({ args, mode: 'voice' })
    const response = await endVoiceSession(context)
    expect(response).toMatchObject({
      ok: true,
      data: { reason: 'goodbye', finalMessage: 'Talk to you soon.', textResponse: 'The list' },
      intents: [{ type: 'END_VOICE_SESSION', after: 'current_turn' }],
    })
    expectResult('end_voice_session', response.data)
    expect(sent).toEqual([])
  })

  test('what was not given is null', async () => {
    const { context } = handlerContext({ args: { reason: 'user_requested' }, mode: 'voice' })
    const { data } = await endVoiceSession(context)
    expect(data).toEqual({ reason: 'user_requested', finalMessage: null, textResponse: null })
    expectResult('end_voice_session', data)
  })
})
