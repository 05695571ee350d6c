// Each utterance begins a turn, whether the service transcribes it or not: its calls are not counted to the turn before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answersOf, fakeGemini, fakeRealtime, responseSaying, responseWith, toolCall } from './support/fake-services.js'
import { startFixture } from './support/fixture.js'

const handlers = { quick_read: async () => ({ ok: true, data: { found: 'a door' } }) }
const callsOf = n => ['a', 'b'].map(letter => ({ id: `call_utterance_${n}${letter}`, name: 'quick_read' }))
const refused = connection => answersOf(connection).filter(({ response }) => !response.ok)

test('gemini: five utterances of two calls each, of which one has a transcript: none is refused', async t => {
  const service = await fakeGemini(t)
  const { start } = await startFixture(t, { rules: [], handlers, server: service.settings })
  const client = await start()
  const [connection] = service.connections
  connection.emit({ serverContent: { inputTranscription: { text: 'look it up' } } })
  for (let n = 1; n <= 5; n += 1) {
    connection.emit(toolCall(...callsOf(n)))
    await connection.whenGot(() => answersOf(connection).length === 2 * n)
    connection.emit({ serverContent: { outputTranscription: { text: `Found ${n}.` } } })
    connection.emit({ serverContent: { generationComplete: true } })
    connection.emit({ serverContent: { turnComplete: true } })
    assert.equal((await client.next('turnComplete')).turn, n)
  }
  assert.deepEqual(refused(connection), [])
})

test('openai: the same, where the transcription fails', async t => {
  const service = await fakeRealtime(t)
  const { start } = await startFixture(t, { provider: 'openai', rules: [], handlers, server: service.settings })
  const client = await start()
  const [connection] = service.connections
  const emit = events => events.forEach(event => connection.emit(event))
  for (let n = 1; n <= 5; n += 1) {
    const item_id = `u${n}`
    emit([
      { type: 'input_audio_buffer.speech_started', item_id, audio_start_ms: n * 1000 },
      { type: 'input_audio_buffer.speech_stopped', item_id, audio_end_ms: n * 1000 + 500 },
      {
        type: 'conversation.item.input_audio_transcription.failed',
        item_id,
        content_index: 0,
        error: { code: 'no_access' },
      },
    ])
    emit(responseWith(`resp_${n}`, ...callsOf(n)))
    await connection.whenGot(() => answersOf(connection).length === 2 * n)
    emit(responseSaying(`said_${n}`, `Found ${n}.`))
    assert.equal((await client.next('turnComplete')).turn, n)
  }
  assert.deepEqual(refused(connection), [])
})

test('gemini: calls of the answer to a note of the server begin no turn', async t => {
  const service = await fakeGemini(t)
  const { start, server } = await startFixture(t, { rules: [], handlers, server: service.settings })
  const client = await start()
  const [connection] = service.connections
  server.say(client.started.sessionId, 'The train leaves at nine.')
  await connection.whenGot(frame => JSON.stringify(frame).includes('The train'))
  connection.emit(toolCall(...callsOf(1)))
  await connection.whenGot(() => answersOf(connection).length === 2)
  connection.emit({ serverContent: { turnComplete: true } })
  assert.equal((await client.next('turnComplete')).turn, client.started.turn)
})

test('openai: a response that had ended when it was cancelled is no line of the log', async t => {
  const service = await fakeRealtime(t)
  const { start, logger } = await startFixture(t, { provider: 'openai', rules: [], handlers, server: service.settings })
  const client = await start()
  const [connection] = service.connections
  const error = { type: 'invalid_request_error', code: 'response_cancel_not_active', message: 'Cancellation failed' }
  connection.emit({ type: 'error', error })
  connection.emit({ type: 'error', error: { ...error, code: 'another' } })
  for (const event of responseSaying('r', 'Hello.')) connection.emit(event)
  await client.next('turnComplete')
  const problems = logger.lines.flatMap(({ problem }) => problem ?? [])
  assert.deepEqual(problems, ['the service reports an error: invalid_request_error: another: Cancellation failed'])
})
