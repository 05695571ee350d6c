// A cough ends the model's speech and aborts nothing; words and long speech abort the reads of the turn, each with its answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BargeIn } from '../src/conversation/barge-in.js'
import { call, latch, on, say, silence, startFixture, voice } from './support/fixture.js'

const READ = 'function-call-1111111111111111'
const WRITE = 'function-call-2222222222222222'
const SECRET = 'the rates of the season'

/** A handler that runs until it is released or aborted. */
function holding() {
  const [started, released] = [latch(), latch()]
  const handler = async ({ signal }) => {
    started.open()
    await Promise.race([released.opened, new Promise(resolve => signal.addEventListener('abort', resolve))])
    handler.wasAborted = signal.aborted
    return { ok: true, data: { found: SECRET } }
  }
  return Object.assign(handler, { wasAborted: null, started: started.opened, release: released.open })
}

/** What each service sends when it hears a sound, ends it, and writes its transcript. */
const services = {
  gemini: {
    detect: model => model.send({ serverContent: { interrupted: true } }),
    end: model => model.send({ serverContent: { turnComplete: true } }),
    transcribe: (model, text) => model.send({ serverContent: { inputTranscription: { text } } }),
  },
  openai: {
    detect: (model, item = 'item_9') =>
      model.send({ type: 'input_audio_buffer.speech_started', audio_start_ms: 0, item_id: item }),
    // The service answers each sound, this one with nothing.
    end: (model, item = 'item_9') => {
      model.send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: 600, item_id: item })
      model.send({ type: 'response.created', response: { id: 'resp_9', status: 'in_progress' } })
      model.send({ type: 'response.done', response: { id: 'resp_9', status: 'completed', output: [] } })
    },
    transcribe: (model, transcript, item = 'item_9') =>
      model.send({ type: 'conversation.item.input_audio_transcription.completed', item_id: item, transcript }),
  },
}

const rules = [on('read', [say('let me look'), call('slow_read', {}, { id: READ })], [say('found it')])]

for (const [provider, { detect, end, transcribe }] of Object.entries(services)) {
  const begin = async (t, limits = {}) => {
    const slow_read = holding()
    // The detection of the simulator is off: the test sends what the service hears.
    const openai = url => ({
      apiKey: 'any',
      baseUrl: `${url}/v1`,
      config: { audio: { input: { turn_detection: null } } },
    })
    const fixture = await startFixture(t, {
      provider,
      rules,
      handlers: { slow_read },
      server: url => ({ limits, ...(provider === 'openai' ? { openai: openai(url) } : {}) }),
    })
    const client = await fixture.start()
    client.say('read')
    await slow_read.started
    return { ...fixture, client, slow_read, provider: await fixture.model() }
  }

  test(`${provider}: a cough ends the speech, and the read goes on to its answer`, async t => {
    const { client, slow_read, provider: model, answers, sim } = await begin(t)
    detect(model)
    await client.next('interrupted')
    client.send(voice(300))
    client.send(silence(500))
    end(model)
    transcribe(model, '<noise>')
    await client.next(({ type, text }) => type === 'transcript' && text === '<noise>')
    assert.equal(slow_read.wasAborted, null)
    slow_read.release()
    const { ok } = await client.next('toolResult')
    await client.next(({ type, text }) => type === 'transcript' && text === 'found it')
    assert.deepEqual([ok, slow_read.wasAborted], [true, false])
    assert.deepEqual(
      answers().map(({ id }) => id),
      [READ],
    )
    assert.ok(JSON.stringify(answers()).includes(SECRET))
    assert.deepEqual(sim.anomalies, [])
  })

  test(`${provider}: words abort the read, and the service gets an answer for the call`, async t => {
    const { client, slow_read, provider: model, answers, sim } = await begin(t)
    detect(model)
    await client.next('interrupted')
    transcribe(model, 'no, leave it')
    assert.equal((await client.next('toolResult')).errorType, 'CANCELLED')
    await sim.whenReceived(() => answers().length === 1)
    const [{ id, response }] = answers()
    assert.deepEqual([id, response.error.type, slow_read.wasAborted], [READ, 'CANCELLED', true])
    assert.ok(!JSON.stringify(answers()).includes(SECRET))
  })

  test(`${provider}: speech that lasts aborts the read before its transcript`, async t => {
    const { client, slow_read, provider: model, answers, sim } = await begin(t)
    detect(model)
    await client.next('interrupted')
    client.send(voice(720))
    assert.equal((await client.next('toolResult')).errorType, 'CANCELLED')
    await sim.whenReceived(() => answers().length === 1)
    assert.equal(slow_read.wasAborted, true)
  })

  test(`${provider}: how long speech must last is a setting`, async t => {
    const { client, provider: model } = await begin(t, { bargeInSpeechMs: 0 })
    detect(model)
    assert.equal((await client.next('toolResult')).errorType, 'CANCELLED')
  })
}

test('gemini: a call of an earlier turn runs on when the user breaks into a later one', async t => {
  const slow_read = holding()
  const { start, model, answers } = await startFixture(t, {
    rules: [...rules, on('hello', [say('hi')])],
    handlers: { slow_read },
  })
  const client = await start()
  const provider = await model()
  provider.send({ toolCall: { functionCalls: [{ id: READ, name: 'slow_read', args: {} }] } })
  await slow_read.started
  provider.send({ serverContent: { outputTranscription: { text: 'I am looking.' }, turnComplete: true } })
  await client.next('turnComplete')
  services.gemini.transcribe(provider, 'and the weather')
  provider.send({ serverContent: { outputTranscription: { text: 'It is' } } })
  services.gemini.detect(provider)
  services.gemini.transcribe(provider, 'stop')
  await client.next('interrupted')
  await client.next(({ type, text }) => type === 'transcript' && text === 'stop')
  slow_read.release()
  assert.equal((await client.next('toolResult')).ok, true)
  assert.deepEqual([slow_read.wasAborted, answers().length <= 1], [false, true])
})

test('a write that runs is never aborted, and told when it ends', async t => {
  const cue_set = holding()
  const { start, model, written, sim } = await startFixture(t, {
    rules: [on('write', [call('cue_set', { cue: 'a' }, { id: WRITE })])],
    handlers: { cue_set },
    server: baseUrl => ({ gemini: { apiKey: 'any', baseUrl, model: 'a-model-of-tomorrow' } }),
  })
  const client = await start()
  client.say('write')
  await cue_set.started
  services.gemini.detect(await model())
  services.gemini.transcribe(await model(), 'stop')
  await client.next('interrupted')
  cue_set.release()
  assert.equal((await client.next('toolResult')).ok, true)
  assert.equal(cue_set.wasAborted, false)
  await sim.whenReceived(() => written().some(text => text.includes('carried out')))
})

/** A runner of three calls in one turn, which records what is aborted. */
function recording() {
  const [aborted, entries] = [[], [{ name: 'a' }]]
  const runner = { isBusy: true, callsOfTurn: () => [...entries], abort: calls => aborted.push(...calls) }
  return { aborted, entries, bargeIn: new BargeIn({ minSpeechMs: 700, runner }) }
}

test('what is no words aborts nothing', () => {
  for (const text of ['', ' ', '…', '<noise>', '[coughs]', '(laughter)', '<noi', '?!']) {
    const { aborted, bargeIn } = recording()
    bargeIn.speechDetected('u1')
    bargeIn.transcribed([{ direction: 'input', key: 'u1', text }])
    assert.deepEqual(aborted, [], text)
  }
  for (const text of ['stop', '[noise] wait', '等等', '4']) {
    const { aborted, entries, bargeIn } = recording()
    bargeIn.speechDetected('u1')
    bargeIn.transcribed([{ direction: 'input', key: 'u1', text }])
    assert.deepEqual(aborted, entries, text)
  }
})

test('the late transcript of what the calls were made for is no barge-in, nor is that of another utterance', () => {
  const { aborted, bargeIn } = recording()
  bargeIn.transcribed([{ direction: 'input', key: null, text: 'find the rates' }])
  bargeIn.speechDetected('u2')
  bargeIn.transcribed([{ direction: 'input', key: 'u1', text: 'find the rates' }])
  assert.deepEqual(aborted, [])
})

test('calls that began after the speech answer it', () => {
  const { aborted, entries, bargeIn } = recording()
  const [first] = entries
  bargeIn.speechDetected('u1')
  entries.push({ name: 'b' })
  bargeIn.transcribed([{ direction: 'input', key: 'u1', text: 'stop' }])
  assert.deepEqual(aborted, [first])
})

test('two coughs with a pause do not add up, one long sound does, and speech that ended lasts no longer', () => {
  const { aborted, bargeIn } = recording()
  bargeIn.speechDetected(null)
  for (const pcm of [voice(400), silence(400), voice(400)]) bargeIn.heard(pcm)
  assert.deepEqual(aborted, [])
  bargeIn.speechStopped()
  bargeIn.heard(voice(400))
  assert.deepEqual(aborted, [])
  bargeIn.speechDetected(null)
  assert.equal(aborted.length, 1)
})
