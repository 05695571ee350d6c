// What a model, a service or a second page must not achieve in a call, and what must not be lost: behind a server of the host's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answersOf, fakeGemini, fakeRealtime, responseSaying, responseWith, toolCall } from './support/fake-services.js'
import { latch, startFixture } from './support/fixture.js'

const NOTE = { name: 'note_save', args: { text: 'buy milk' } }
const authenticate = () => ({ principal: 'ada' })
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))
const isAbout = word => frame => JSON.stringify(frame).includes(word)

/** A call at a service of the test, whose tools record what ran. */
async function startCall(t, provider, { isAlone, ...more } = {}) {
  const service = provider === 'gemini' ? await fakeGemini(t, { isAlone }) : await fakeRealtime(t)
  const ran = []
  const note_save = async ({ args }) => {
    ran.push(args.text)
    return { ok: true, data: { saved: args.text } }
  }
  const fixture = await startFixture(t, {
    provider,
    rules: [],
    handlers: { note_save, ...more.handlers },
    server: {
      noServer: true,
      authenticate,
      spokenConsent: { languages: ['en'] },
      limits: { pendingPollMs: 20 },
      ...service.settings,
    },
  })
  const client = await fixture.start()
  const { sessionId, resumeToken } = client.started
  const [connection] = service.connections
  const attach = () =>
    fixture.registry.createSession({ mode: 'text', sessionId, resumeToken, principal: 'ada', resumeOnly: true })
  const emit = (...events) => events.forEach(event => connection.emit(event))
  return { ...fixture, service, connection, client, ran, emit, attach, again: { sessionId, resumeToken } }
}

const heard = (item_id, transcript) => ({
  type: 'conversation.item.input_audio_transcription.completed',
  item_id,
  content_index: 0,
  transcript,
})

test('openai: the late transcript of the utterance that caused a call is no yes to its question', async t => {
  const { client, emit, ran } = await startCall(t, 'openai')
  emit({ type: 'input_audio_buffer.speech_started', item_id: 'u1', audio_start_ms: 0 })
  emit({ type: 'input_audio_buffer.speech_stopped', item_id: 'u1', audio_end_ms: 500 })
  emit(...responseWith('r1', { id: 'call_late_words_1', ...NOTE }))
  await client.next('confirmation')
  emit(heard('u1', 'Yes.'))
  await sleep(150)
  assert.deepEqual([ran, client.ofType('confirmationClosed')], [[], []])
})

test('openai: a yes to a question that was cut before a word of it confirms nothing', async t => {
  const { client, emit, ran } = await startCall(t, 'openai')
  emit(...responseWith('r1', { id: 'call_cut_words_1', ...NOTE }))
  await client.next('confirmation')
  emit({ type: 'response.created', response: { id: 'r2', status: 'in_progress', output: [] } })
  emit({ type: 'input_audio_buffer.speech_started', item_id: 'u2', audio_start_ms: 1000 })
  emit({ type: 'response.done', response: { id: 'r2', status: 'cancelled', output: [] } })
  emit({ type: 'input_audio_buffer.speech_stopped', item_id: 'u2', audio_end_ms: 1500 })
  emit(heard('u2', 'Yes'))
  await sleep(150)
  assert.deepEqual([ran, client.ofType('confirmationClosed')], [[], []])
})

test('the card has every argument that will run, whatever the preview says', async t => {
  const { client, emit } = await startCall(t, 'openai')
  emit(...responseWith('r1', { id: 'call_all_rows_1', ...NOTE }))
  const { request } = await client.next('confirmation')
  assert.ok(request.rows.some(row => isAbout('buy milk')(row)))
})

test('a question that was denied elsewhere and is asked again waits for an answer of its own', async t => {
  const { client, emit, ran, attach } = await startCall(t, 'openai')
  emit(...responseWith('r1', { id: 'call_first_ask_1', ...NOTE }))
  const { token } = (await client.next('confirmation')).request
  const chat = await attach()
  await chat.deny(token)
  assert.equal((await client.next('confirmationClosed')).outcome, 'denied')
  emit(...responseSaying('r2', 'Not saved.'))
  emit({ type: 'input_audio_buffer.speech_started', item_id: 'u1', audio_start_ms: 5000 })
  emit({ type: 'input_audio_buffer.speech_stopped', item_id: 'u1', audio_end_ms: 5500 })
  emit(...responseWith('r3', { id: 'call_second_ask', ...NOTE }))
  const second = (await client.next('confirmation')).request.token
  await sleep(200)
  assert.deepEqual([ran, (await chat.listPending()).map(one => one.token)], [[], [second]])
  await chat.detach()
})

test('a write that fails when it is confirmed elsewhere runs once for that answer', async t => {
  let runs = 0
  const note_save = async () => {
    runs += 1
    if (runs > 1) return { ok: true, data: {} }
    return {
      ok: false,
      error: { type: 'TRANSIENT', message: 'the bank is closed', retryable: true, partialSideEffects: false },
    }
  }
  const { client, emit, attach } = await startCall(t, 'openai', { handlers: { note_save } })
  emit(...responseWith('r1', { id: 'call_fails_once_1', ...NOTE }))
  const { token } = (await client.next('confirmation')).request
  const chat = await attach()
  assert.equal((await chat.confirm(token)).ok, false)
  await sleep(300)
  assert.equal(runs, 1)
  await chat.detach()
})

test('gemini: a result that comes while the service does not answer anew is offered to the next connection', async t => {
  const [begun, ended] = [latch(), latch()]
  let runs = 0
  const cue_set = async () => {
    runs += 1
    begun.open()
    await ended.opened
    return { ok: true, data: { receipt: 'R-1' } }
  }
  const { client, emit, service, start, again } = await startCall(t, 'gemini', { handlers: { cue_set } })
  emit({ serverContent: { inputTranscription: { text: 'set it' } } })
  emit(toolCall({ id: 'cue-call-123456', name: 'cue_set', args: { cue: 'a' } }))
  await begun.opened
  // The second connection is accepted, and never set up.
  service.isMute = true
  emit({ goAway: { timeLeft: '0.1s' } })
  while (service.connections.length < 2) await sleep(10)
  ended.open()
  await sleep(50)
  client.socket.terminate()
  service.isMute = false
  const second = await start(again)
  await second.next(({ type, ok }) => type === 'toolResult' && ok)
  while (!service.connections.at(-1).got.some(isAbout('R-1'))) await sleep(10)
  assert.equal(runs, 1)
})

for (const provider of ['gemini', 'openai'])
  test(`${provider}: the user speaks while a write runs: it ends, and the model learns what came of it, once`, async t => {
    const [begun, ended] = [latch(), latch()]
    const cue_set = async () => {
      begun.open()
      await ended.opened
      return { ok: true, data: { posted: 'order 17' } }
    }
    const { client, emit, connection } = await startCall(t, provider, { handlers: { cue_set } })
    const write = { id: 'call_write_00001', name: 'cue_set', args: { cue: 'a' } }
    if (provider === 'gemini') {
      emit({ serverContent: { inputTranscription: { text: 'post it' } } }, toolCall(write))
      await begun.opened
      emit({ serverContent: { interrupted: true } })
      ended.open()
    } else {
      emit(...responseWith('r1', write))
      await begun.opened
      emit({ type: 'input_audio_buffer.speech_started', item_id: 'u2', audio_start_ms: 1000 })
      ended.open()
      await sleep(50)
      emit({ type: 'input_audio_buffer.speech_stopped', item_id: 'u2', audio_end_ms: 1500 })
    }
    await client.next(({ type, ok }) => type === 'toolResult' && ok)
    await connection.whenGot(isAbout('order 17'))
    await sleep(300)
    assert.equal(connection.got.filter(isAbout('order 17')).length, 1)
  })

test('openai: the result of a background call that comes while the user speaks is told once, and not over the user', async t => {
  const ended = latch()
  const job_run = async () => {
    await ended.opened
    return { ok: true, data: { found: 'the blue door' } }
  }
  const { emit, connection, client } = await startCall(t, 'openai', { handlers: { job_run } })
  emit(...responseWith('r1', { id: 'call_background1', name: 'job_run', args: { job: 'a' } }))
  await connection.whenGot(() => answersOf(connection).length === 1)
  emit(...responseSaying('r2', 'I am searching.'))
  await client.next('turnComplete')
  emit({ type: 'input_audio_buffer.speech_started', item_id: 'u2', audio_start_ms: 1000 })
  const asked = () => connection.got.filter(({ type }) => type === 'response.create').length
  // The server has heard that the user speaks, once the client has words of it.
  emit({ type: 'conversation.item.input_audio_transcription.delta', item_id: 'u2', content_index: 0, delta: 'by' })
  await client.next(({ type, direction }) => type === 'transcript' && direction === 'input')
  const before = asked()
  ended.open()
  await client.next(({ type, ok, pending }) => type === 'toolResult' && ok && pending !== true)
  await sleep(200)
  assert.equal(asked(), before)
  emit({ type: 'input_audio_buffer.speech_stopped', item_id: 'u2', audio_end_ms: 1500 }, heard('u2', 'by the way'))
  emit(...responseSaying('r3', 'Yes?'))
  await connection.whenGot(isAbout('the blue door'))
  await sleep(200)
  assert.equal(connection.got.filter(isAbout('the blue door')).length, 1)
})
