// OpenAI Realtime behind the same server: the client's frames are the same, the service gets its own protocol.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, latch, on, say, startFixture, silence, voice } from './support/fixture.js'

const SEARCH = 'kb_search'
const realtime = (t, options) => startFixture(t, { provider: 'openai', ...options })
const sentTypes = ({ sim }) =>
  sim.received.flatMap(({ json }) =>
    json?.type && json.type !== 'input_audio_buffer.append' ? [json.item?.type ?? json.type] : [],
  )

test('the model is set up for speech at 24 kHz with server VAD, and the browser is told who it is', async t => {
  const { sim, start, registry, server } = await realtime(t, { rules: [] })
  const { started } = await start()
  const { session } = sim.received.find(({ json }) => json?.type === 'session.update').json
  const format = { type: 'audio/pcm', rate: 24000 }
  const detection = { type: 'server_vad', create_response: true, interrupt_response: true }
  assert.deepEqual(session.audio, {
    input: { format, transcription: { model: 'gpt-4o-mini-transcribe' }, turn_detection: detection },
    output: { format },
  })
  const names = session.tools.map(({ name }) => name)
  assert.ok(
    names.includes(SEARCH) &&
      !names.includes('start_voice_session') &&
      session.tools.every(({ type }) => type === 'function'),
  )
  assert.ok(session.instructions.includes(`# Available Tools (v${registry.getVersion()})`))
  assert.deepEqual([started.provider, started.model, started.simulator], ['openai', 'gpt-realtime-2.1', true])
  const health = await (await fetch(server.url.replace('ws:', 'http:').replace('/voice', '/healthz'))).json()
  assert.deepEqual(health.details, { sessions: 1, provider: 'openai', model: 'gpt-realtime-2.1', simulator: true })
})

test('a typed question is searched for and answered aloud, in one response after all outputs', async t => {
  const fixture = await realtime(t, {
    rules: [
      on(
        'both',
        [
          {
            calls: [
              { name: SEARCH, args: { query: 'rust' } },
              { name: 'kb_get', args: { id: 'person:nobody' } },
            ],
          },
        ],
        [say('Found: {{results.length}}')],
      ),
    ],
  })
  const client = await fixture.start()
  client.say('both')
  assert.equal(await client.answer(), 'Found: 2')
  assert.deepEqual(
    fixture.answers().map(({ response }) => response.ok),
    [true, false],
  )
  assert.deepEqual(sentTypes(fixture), [
    'session.update',
    'message',
    'response.create',
    'function_call_output',
    'function_call_output',
    'response.create',
  ])
  assert.ok(client.ofType('audio').length > 0)
  const captions = client.ofType('transcript')
  assert.deepEqual([captions.at(-1).final, new Set(captions.map(({ utterance }) => utterance)).size], [true, 1])
  assert.deepEqual(fixture.sim.anomalies, [])
})

test('spoken words are heard through the resampler, written down and begin a turn', async t => {
  const { sim, start } = await realtime(t, {
    audio: { transcripts: ['search for audio', 'search for rust'] },
    rules: [on({ contains: 'search' }, [call(SEARCH, { query: '{{user}}' })], [say('done')])],
  })
  const client = await start()
  for (const turn of [1, 2]) {
    client.send(voice(400))
    client.send(silence(700))
    const heard = await client.next(({ type, direction }) => type === 'transcript' && direction === 'input')
    assert.match(heard.text, /search for/)
    assert.equal((await client.next('turnComplete')).turn, turn)
  }
  const bytes = sim.received
    .filter(({ json }) => json?.type === 'input_audio_buffer.append')
    .map(({ json }) => Buffer.byteLength(json.audio, 'base64'))
  assert.equal(
    bytes.reduce((sum, length) => sum + length, 0),
    2 * 1100 * 48,
  )
})

test('a microphone that is closed ends what was said', async t => {
  const { start } = await realtime(t, { audio: { transcripts: ['hello'] }, rules: [on('hello', [say('hi')])] })
  const client = await start()
  client.send(voice(300))
  client.send({ type: 'audioEnd' })
  assert.equal(await client.answer(), 'hi')
})

test('the third retrieval of a turn is refused, and the next turn starts fresh', async t => {
  const { start, answers } = await realtime(t, {
    rules: [
      on(
        { contains: 'search' },
        [{ calls: ['a', 'b', 'c'].map(query => ({ name: SEARCH, args: { query: `audio ${query}` } })) }],
        [say('done')],
      ),
    ],
  })
  const client = await start()
  for (const text of ['search everything', 'search again']) {
    client.say(text)
    await client.answer()
  }
  const types = answers().map(({ response }) => response.error?.type ?? 'ok')
  assert.deepEqual(types, ['ok', 'ok', 'BUDGET_EXCEEDED', 'ok', 'ok', 'BUDGET_EXCEEDED'])
  assert.deepEqual(
    client.ofType('turnComplete').map(({ turn }) => turn),
    [1, 2],
  )
})

test('who speaks while the model does stops it, and the model is told how much of it was heard', async t => {
  const toneMs = 10_000
  const { sim, start } = await realtime(t, {
    audio: { transcripts: ['stop'] },
    settings: { toneMs },
    rules: [on('talk', [say('a long story'), { wait: 60_000 }, say('its end')]), on('stop', [say('stopped')])],
  })
  const client = await start()
  client.say('talk')
  await client.next('audio')
  client.send({ type: 'played', ms: 40 })
  client.send(voice(200))
  const { heardMs } = await client.next('interrupted')
  client.send(silence(800))
  await client.next(({ type, text }) => type === 'transcript' && text === 'stopped')
  const { json: cut } = await sim.whenReceived(({ json }) => json?.type === 'conversation.item.truncate')
  assert.deepEqual([cut.content_index, cut.audio_end_ms], [0, heardMs])
  assert.ok(heardMs >= 40 && heardMs < toneMs, `${heardMs}`)
  assert.ok(!client.said().includes('its end'))
  assert.equal((await client.next('turnComplete')).turn, 2)
  assert.deepEqual(sim.anomalies, [])
})

test('who types while the model speaks stops it: the response is cancelled, nothing of it comes late, one answer follows', async t => {
  const fixture = await realtime(t, {
    rules: [on('talk', [say('a long story'), { wait: 60_000 }, say('its end')]), on('stop', [say('stopped')])],
  })
  const client = await fixture.start()
  client.say('talk')
  await client.next('audio')
  client.say('stop')
  await client.next('interrupted')
  assert.equal((await client.next('turnComplete')).turn, 2)
  assert.equal(client.said(), 'a long storystopped')
  assert.deepEqual(sentTypes(fixture), [
    'session.update',
    'message',
    'response.create',
    'response.cancel',
    'conversation.item.truncate',
    'message',
    'response.create',
  ])
})

test('two texts at once are both answered, and two responses are never asked for at once', async t => {
  const { sim, start, logger } = await realtime(t, { rules: [on('one', [say('first')]), on('two', [say('second')])] })
  const client = await start()
  client.say('one')
  client.say('two')
  await client.next(({ type, text }) => type === 'transcript' && text === 'second')
  await client.next('turnComplete')
  assert.deepEqual(
    logger.lines.filter(({ problem }) => problem?.includes('already has')),
    [],
  )
  assert.deepEqual(sim.anomalies, [])
})

test('a response that the service refuses or fails is logged, and the conversation goes on', async t => {
  const { start, model, logger } = await realtime(t, { rules: [on('hello', [say('hi')])] })
  const client = await start()
  ;(await model()).send({
    type: 'error',
    error: { type: 'server_error', code: null, message: 'overloaded', param: null, event_id: null },
  })
  ;(await model()).sendRaw('{"broken')
  client.say('hello')
  assert.equal(await client.answer(), 'hi')
  assert.ok(logger.lines.some(({ problem }) => problem?.includes('overloaded')))
  assert.ok(logger.lines.some(({ message }) => message === 'provider sent a bad frame'))
})

test('events that hold anything end nothing', async t => {
  const { start, model, logger } = await realtime(t, { rules: [on('hello', [say('hi')])] })
  const client = await start()
  const provider = await model()
  const names = [
    'response.created',
    'response.done',
    'response.output_item.done',
    'response.output_audio.delta',
    'response.output_audio_transcript.delta',
    'conversation.item.input_audio_transcription.completed',
    'conversation.item.input_audio_transcription.failed',
    'error',
    'toString',
    '__proto__',
  ]
  const members = [
    {},
    { response: null, item: null, error: null, delta: null },
    { response: 7, item: 'x', error: [], delta: {}, item_id: {}, response_id: [] },
    {
      response: { id: {}, status: 7, output: 'x' },
      item: { type: {} },
      delta: '*',
      transcript: 7,
      audio_start_ms: 'x',
    },
  ]
  for (const type of names) for (const more of members) provider.send({ type, ...more })
  for (const event of [{ type: 7 }, { type: null }, {}]) provider.send(event)
  client.say('hello')
  await client.next(({ type, text }) => type === 'transcript' && text === 'hi')
  assert.deepEqual(
    logger.lines.filter(({ level }) => level === 'error'),
    [],
  )
  assert.deepEqual(client.ofType('error'), [])
})

test('a key that is refused is no conversation, and the session stays resumable', async t => {
  const { open } = await realtime(t, {
    rules: [],
    server: { openai: { apiKey: 'any', baseUrl: 'http://127.0.0.1:9/v1' } },
  })
  const client = await open()
  client.send({ type: 'start' })
  assert.equal((await client.next('error')).code, 'provider_unavailable')
  assert.equal((await client.next('ended')).resumable, true)
})

test('a farewell is spoken before the end', async t => {
  const { start } = await realtime(t, {
    rules: [
      on(
        'bye',
        [call('end_voice_session', { reason: 'user_said_goodbye', final_message: 'Bye.' })],
        [say('{{result.data.finalMessage}}')],
      ),
    ],
  })
  const client = await start()
  client.say('bye')
  assert.equal(await client.answer(), 'Bye.')
  assert.equal((await client.next('ended')).cause, 'tool')
})

test('the connection is lost: the model is told again what was said, and what was typed meanwhile is answered', async t => {
  const { sim, start, model, written } = await realtime(t, {
    rules: [on('remember red', [say('I will')]), on('hello', [say('hello back')])],
  })
  const client = await start()
  client.say('remember red')
  await client.answer()
  client.send({ type: 'played', ms: 80 })
  const first = await model()
  first.disconnect()
  await first.closed
  client.say('hello')
  assert.equal((await client.next(({ type, provider }) => type === 'state' && provider)).provider, 'reconnected')
  await client.next(({ type, text }) => type === 'transcript' && text === 'hello back')
  await client.next('turnComplete')
  const seeded = sim.received
    .filter(({ json, connection }) => connection === 2 && json?.item)
    .map(({ json: { item } }) => [item.role, item.content[0].text])
  assert.deepEqual(seeded.slice(0, 2), [
    ['user', 'remember red'],
    ['assistant', 'I will'],
  ])
  assert.equal(seeded.filter(([, text]) => text === 'hello').length, 1)
  assert.equal(written().filter(text => text === 'remember red').length, 2)
})

test('a client that comes back finds a model that knows what was said and done', async t => {
  const { sim, start } = await realtime(t, {
    handlers: { cue_set: async () => ({ ok: true, data: {} }) },
    rules: [on('go', [call('cue_set', { cue: 'a' })], [say('done')]), on('hello', [say('hi')])],
  })
  const first = await start()
  first.say('go')
  await first.answer()
  await first.close()
  const { sessionId, resumeToken } = first.started
  const second = await start({ sessionId, resumeToken })
  assert.equal(second.started.resumed, true)
  second.say('hello')
  assert.equal(await second.answer(), 'hi')
  const seeded = sim.received
    .filter(({ json, connection }) => connection === 2 && json?.item)
    .map(({ json: { item } }) => `${item.role}: ${item.content[0].text}`)
  assert.deepEqual([seeded[0], seeded.at(-1)], ['user: go', 'user: hello'])
  assert.ok(seeded.includes('assistant: done') && seeded.includes('system: [`cue_set` succeeded.]'), seeded.join('\n'))
})

test('calls under way when the connection is lost run once, and are answered on the next one', async t => {
  const [started, released] = [latch(), latch()]
  let runs = 0
  const cue_set = async () => {
    runs += 1
    started.open()
    await released.opened
    return { ok: true, data: { cue: 'set' } }
  }
  const slow_read = async () => {
    await released.opened
    return { ok: true, data: { found: 'it' } }
  }
  const { start, model, sim, written } = await realtime(t, {
    handlers: { cue_set, slow_read },
    rules: [
      on('go', [{ calls: [{ name: 'cue_set' }, { name: 'slow_read' }] }], [say('done')]),
      on({ contains: 'asked earlier' }, [say('there it is')]),
    ],
  })
  const client = await start()
  client.say('go')
  await started.opened
  ;(await model()).disconnect()
  await client.next(({ type, provider }) => type === 'state' && provider)
  released.open()
  await client.next(({ type, text }) => type === 'transcript' && text === 'there it is')
  await client.next('turnComplete')
  const told = written().filter(text => text.includes('asked earlier'))
  assert.deepEqual(
    [told.length, told[0].includes('"cue":"set"'), told[0].includes('"found":"it"'), runs],
    [1, true, true, 1],
  )
  assert.deepEqual([client.ofType('interrupted'), sim.anomalies], [[], []])
})
