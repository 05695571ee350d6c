// OpenAI Realtime through the real `openai` client over wss.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  callsIn,
  connectRealtime,
  functionTools,
  saidIn,
  silence,
  simulateRealtime,
  speech,
} from './realtime-client.mjs'

const plain = (rules, more = {}) => ({ settings: { label: '', pieceChars: 5 }, rules, ...more })
const say = text => ({ emit: [{ say: text }] })
const typesOf = events => events.map(({ type }) => type)

test('a spoken answer: each event of the life of a response, once and in order', async t => {
  const sim = await simulateRealtime(t, plain([{ steps: [say('Hello you')] }]))
  const client = await connectRealtime(t, sim, { output_modalities: ['audio'] })
  client.say('hi')
  await client.until('conversation.item.done')
  const events = await client.untilDone()
  assert.deepEqual(typesOf(events), [
    'response.created',
    'response.output_item.added',
    'conversation.item.added',
    'response.content_part.added',
    'response.output_audio_transcript.delta',
    'response.output_audio.delta',
    'response.output_audio_transcript.delta',
    'response.output_audio.delta',
    'response.output_audio.done',
    'response.output_audio_transcript.done',
    'response.content_part.done',
    'conversation.item.done',
    'response.output_item.done',
    'response.done',
  ])
  assert.equal(new Set(events.map(event => event.event_id)).size, events.length)
  const { response } = events.at(-1)
  assert.deepEqual(
    [response.status, response.output.length, response.output[0].content],
    ['completed', 1, [{ type: 'output_audio', transcript: 'Hello you' }]],
  )
  assert.equal(response.usage.total_tokens, response.usage.input_tokens + response.usage.output_tokens)
  assert.ok(
    Buffer.from(events.find(({ type }) => type === 'response.output_audio.delta').delta, 'base64').length > 1000,
  )
  assert.ok(!JSON.stringify(sim.received).includes('SECRET'))
})

test('the tool loop: arguments in pieces, both results of one response, one more response', async t => {
  const emit = [
    { say: 'Looking.' },
    {
      calls: [
        { name: 'w', args: { city: 'Paris' } },
        { name: 'w', args: { city: 'Rome' } },
      ],
    },
  ]
  const scenario = plain([
    {
      when: { declared: ['w'] },
      steps: [{ emit }, { emit: [{ sayEach: { path: 'results', text: '{{item.city}}: {{item.sky}}' } }] }],
    },
  ])
  const sim = await simulateRealtime(t, scenario)
  const client = await connectRealtime(t, sim, { tools: functionTools('w') })
  client.say('weather?')
  const events = await client.untilDone()
  const calls = callsIn(events)
  assert.deepEqual(
    calls.map(call => call.arguments),
    ['{"city":"Paris"}', '{"city":"Rome"}'],
  )
  for (const call of calls) {
    const deltas = events.filter(
      ({ type, item_id: id }) => type === 'response.function_call_arguments.delta' && id === call.id,
    )
    assert.ok(deltas.length > 1)
    assert.equal(deltas.map(({ delta }) => delta).join(''), call.arguments)
  }
  for (const { call_id: id, arguments: text } of calls) client.answer(id, { city: JSON.parse(text).city, sky: 'blue' })
  client.send({ type: 'response.create' })
  assert.equal(saidIn(await client.untilDone()), 'Paris: blue Rome: blue')
  assert.deepEqual(sim.anomalies, [])
})

test('speech: started and stopped by loudness, the transcript, an answer by itself', async t => {
  const sim = await simulateRealtime(
    t,
    plain([{ when: { user: 'hello there', source: 'audio' }, steps: [say('Heard.')] }], {
      audio: { transcripts: ['Hello there'] },
    }),
  )
  const input = {
    transcription: { model: 'whisper-1' },
    turn_detection: { type: 'server_vad', silence_duration_ms: 200, prefix_padding_ms: 100 },
  }
  const client = await connectRealtime(t, sim, { audio: { input } })
  for (const audio of [silence(400), speech(300), silence(100), speech(100), silence(250)])
    client.send({ type: 'input_audio_buffer.append', audio })
  const events = await client.untilDone()
  assert.deepEqual(typesOf(events).slice(0, 7), [
    'input_audio_buffer.speech_started',
    'input_audio_buffer.speech_stopped',
    'input_audio_buffer.committed',
    'conversation.item.added',
    'conversation.item.done',
    'conversation.item.input_audio_transcription.delta',
    'conversation.item.input_audio_transcription.completed',
  ])
  const [started, stopped, committed, added] = events
  assert.deepEqual([started.audio_start_ms, stopped.audio_end_ms], [300, 1100])
  assert.deepEqual(new Set([started.item_id, stopped.item_id, committed.item_id, added.item.id]).size, 1)
  assert.equal(events[6].transcript, 'Hello there')
  assert.equal(saidIn(events), 'Heard.')
})

test('speech without a transcript left, without transcription, committed by hand', async t => {
  const sim = await simulateRealtime(t, plain([], { audio: { untranscribed: '{{audio.seconds}} s' } }))
  const client = await connectRealtime(t, sim)
  client.send(
    { type: 'input_audio_buffer.append', audio: speech(1500) },
    { type: 'input_audio_buffer.commit' },
    { type: 'response.create' },
  )
  const events = await client.untilDone()
  assert.equal(saidIn(events), '1.5 s')
  assert.ok(!typesOf(events).some(type => type.includes('transcription') || type.includes('speech')))
})

test('barge-in: speech cancels the response, a call that is not whole is told as done and incomplete', async t => {
  const emit = [
    { say: 'Wait.' },
    { call: { name: 'whole', id: 'c1' } },
    { call: { name: 'open', id: 'c2', args: { a: 1 }, cut: true } },
    { wait: 10000 },
  ]
  const sim = await simulateRealtime(
    t,
    plain([
      { when: { user: 'go' }, steps: [{ emit }] },
      { when: { turn: 2 }, steps: [say('Again.')] },
    ]),
  )
  const client = await connectRealtime(t, sim, {
    tools: functionTools('whole', 'open'),
    audio: { input: { turn_detection: { type: 'server_vad', silence_duration_ms: 100 } } },
  })
  client.say('go')
  await client.until('response.function_call_arguments.delta', ({ call_id: id }) => id === 'c2')
  client.send({ type: 'input_audio_buffer.append', audio: speech(100) })
  const events = await client.untilDone()
  const { response } = events.at(-1)
  assert.deepEqual(
    [response.status, response.status_details],
    ['cancelled', { type: 'cancelled', reason: 'turn_detected' }],
  )
  assert.deepEqual(
    response.output.map(({ status }) => status),
    ['completed', 'completed', 'incomplete'],
  )
  assert.ok(
    typesOf(events).indexOf('input_audio_buffer.speech_started') <
      typesOf(events).indexOf('response.function_call_arguments.done'),
  )
  assert.equal(events.find(({ type }) => type === 'response.function_call_arguments.done').arguments, '{"a":1}')
  assert.deepEqual(callsIn(events), [])
  client.answer('c2', {})
  client.send({ type: 'input_audio_buffer.append', audio: silence(200) })
  await client.until('response.created')
  await client.untilDone()
  assert.deepEqual(sim.anomalies, [
    { protocol: 'realtime', connection: 1, kind: 'answered_cancelled', id: 'c2', name: 'open' },
  ])
})

test('no interruption where the session says so; the speech is answered with an error while the model speaks', async t => {
  const sim = await simulateRealtime(t, plain([{ steps: [{ emit: [{ say: 'a' }, { wait: 10000 }] }] }]))
  const turn = { type: 'server_vad', silence_duration_ms: 100, interrupt_response: false }
  const client = await connectRealtime(t, sim, { audio: { input: { turn_detection: turn } } })
  client.say('go')
  await client.until('response.created')
  client.send(
    { type: 'input_audio_buffer.append', audio: speech(100) },
    { type: 'input_audio_buffer.append', audio: silence(200) },
  )
  const events = await client.until('error')
  assert.equal(events.at(-1).error.code, 'conversation_already_has_active_response')
  assert.ok(typesOf(events).includes('input_audio_buffer.speech_started') && !typesOf(events).includes('response.done'))
  client.send({ type: 'response.cancel' })
  assert.equal((await client.last('response.done')).response.status_details.reason, 'client_cancelled')
})

test('one response at a time; a client cancels it; a cancel without one', async t => {
  const sim = await simulateRealtime(t, plain([{ steps: [{ emit: [{ say: 'a' }, { wait: 10000 }] }] }]))
  const client = await connectRealtime(t, sim)
  client.say('go')
  client.send({ type: 'response.create', event_id: 'mine' })
  const { error } = await client.last('error')
  assert.deepEqual([error.code, error.event_id], ['conversation_already_has_active_response', 'mine'])
  client.send({ type: 'response.cancel', response_id: 'resp_other' })
  assert.equal((await client.last('error')).error.code, 'response_cancel_not_active')
  client.send({ type: 'response.cancel' })
  const { response } = await client.last('response.done')
  assert.deepEqual(
    [response.status, response.status_details.reason, response.output[0].status],
    ['cancelled', 'client_cancelled', 'incomplete'],
  )
  client.send({ type: 'response.cancel' })
  assert.equal((await client.last('error')).error.code, 'response_cancel_not_active')
})

test('scripted ends: incomplete, failed, cancelled, interrupted', async t => {
  const rules = [
    ['length', [{ call: { name: 'a', rawArgs: '{"cut', cut: true } }, { finish: 'length' }]],
    ['filter', [{ say: 'a' }, { finish: 'content_filter' }]],
    ['fail', [{ error: { message: 'broken', code: 'rate_limit_exceeded' } }]],
    ['cancel', [{ call: { name: 'a' } }, { cancel: 'all' }]],
    ['interrupt', [{ say: 'a' }, { interrupt: true }]],
  ].map(([user, emit]) => ({ when: { user }, steps: [{ emit }] }))
  const sim = await simulateRealtime(t, plain(rules))
  const client = await connectRealtime(t, sim)
  const end = async text => {
    client.say(text)
    const { status, status_details: details, output } = (await client.last('response.done')).response
    return [status, details.reason ?? details.error, output.map(item => item.status).join()]
  }
  assert.deepEqual(await end('length'), ['incomplete', 'max_output_tokens', 'incomplete'])
  assert.deepEqual(await end('filter'), ['incomplete', 'content_filter', 'incomplete'])
  assert.deepEqual(await end('fail'), [
    'failed',
    { type: 'server_error', code: 'rate_limit_exceeded', message: 'broken' },
    '',
  ])
  assert.deepEqual(await end('cancel'), ['cancelled', 'turn_detected', 'completed'])
  assert.deepEqual(await end('interrupt'), ['cancelled', 'turn_detected', 'incomplete'])
})

test('rules for results, for a second turn, for a greeting before the user speaks', async t => {
  const sim = await simulateRealtime(
    t,
    plain([
      { when: { event: 'setup' }, steps: [say('Welcome.')] },
      { when: { turn: 1 }, steps: [{ emit: [{ call: { name: 'a', id: '1' } }] }] },
      { when: { results: 'a' }, steps: [{ emit: [{ call: { name: 'b', id: '2' } }] }, say('b said {{result.n}}')] },
      { when: { turn: 2 }, steps: [say('second')] },
    ]),
  )
  const client = await connectRealtime(t, sim, { tools: functionTools('a', 'b') })
  client.send({ type: 'response.create' })
  assert.equal(saidIn(await client.untilDone()), 'Welcome.')
  client.say('one')
  await client.untilDone()
  client.answer('1', {})
  client.send({ type: 'response.create' })
  assert.deepEqual(
    callsIn(await client.untilDone()).map(({ name }) => name),
    ['b'],
  )
  client.answer('2', { n: 7 })
  client.send({ type: 'response.create' })
  assert.equal(saidIn(await client.untilDone()), 'b said 7')
  client.say('two')
  assert.equal(saidIn(await client.untilDone()), 'second')
})

test('what is typed while a response is made is answered by the next one, whatever the first still calls', async t => {
  const sim = await simulateRealtime(
    t,
    plain([
      {
        when: { user: 'one' },
        steps: [
          {
            emit: [
              { say: 'a' },
              { wait: 1500 },
              {
                calls: [
                  { name: 'a', id: '1' },
                  { name: 'a', id: '2' },
                ],
              },
            ],
          },
        ],
      },
      { when: { user: 'two' }, steps: [say('begins here'), say('not here')] },
    ]),
  )
  const client = await connectRealtime(t, sim, { tools: functionTools('a') })
  client.say('one')
  await client.until('response.output_text.delta')
  client.send({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'two' }] },
  })
  assert.equal(callsIn(await client.untilDone()).length, 2)
  client.answer('1', {})
  client.answer('2', {})
  client.send({ type: 'response.create' })
  assert.equal(saidIn(await client.untilDone()), 'begins here')
})

test('a history that the client brings along counts as one that was played', async t => {
  const sim = await simulateRealtime(
    t,
    plain([
      {
        when: { user: 'go' },
        steps: [{ emit: [{ call: { name: 'a' } }] }, { emit: [{ sayEach: { path: 'results', text: '{{item}}' } }] }],
      },
    ]),
  )
  const client = await connectRealtime(t, sim)
  const bring = item => client.send({ type: 'conversation.item.create', item })
  bring({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] })
  bring({ type: 'function_call', call_id: '1', name: 'a', arguments: '{}' })
  bring({ type: 'function_call', call_id: '2', name: 'a', arguments: '{}' })
  bring({ type: 'function_call_output', call_id: '2', output: '22' })
  bring({ type: 'function_call_output', call_id: '1', output: '11' })
  client.send({ type: 'response.create' })
  assert.equal(saidIn(await client.untilDone()), '11 22')
})

test('anomalies: an answer to nothing, an answer twice, the model asked before its call is answered', async t => {
  const sim = await simulateRealtime(t, plain([{ steps: [{ emit: [{ call: { name: 'a', id: '1' } }] }, say('b')] }]))
  const client = await connectRealtime(t, sim, { tools: functionTools('a') })
  client.say('go')
  await client.untilDone()
  client.answer('nobody', {})
  assert.equal((await client.last('error')).error.code, 'invalid_tool_call_id')
  client.send({ type: 'response.create' })
  await client.untilDone()
  client.answer('1', {})
  client.answer('1', {})
  await client.until('conversation.item.done')
  await client.until('conversation.item.done')
  assert.deepEqual(
    sim.anomalies.map(({ kind, id }) => [kind, id]),
    [
      ['unknown_id', 'nobody'],
      ['asked_too_early', '1'],
      ['answered_twice', '1'],
    ],
  )
})

test('items: retrieved, truncated, deleted, put where they belong', async t => {
  const sim = await simulateRealtime(t, plain([{ steps: [say('Hello you')] }]))
  const client = await connectRealtime(t, sim, { output_modalities: ['audio'] })
  client.say('hi')
  const { item } = (await client.untilDone()).find(({ type }) => type === 'response.output_item.done')
  const truncate = { type: 'conversation.item.truncate', item_id: item.id, content_index: 0 }
  client.send({ ...truncate, audio_end_ms: 161 })
  assert.match((await client.last('error')).error.message, /160 ms is already shorter than 161 ms/)
  client.send({ ...truncate, audio_end_ms: 80 })
  assert.equal((await client.last('conversation.item.truncated')).audio_end_ms, 80)
  client.send({ type: 'conversation.item.retrieve', item_id: item.id })
  assert.deepEqual((await client.last('conversation.item.retrieved')).item.content, [{ type: 'output_audio' }])
  client.send({
    type: 'conversation.item.create',
    previous_item_id: 'root',
    item: { id: 'first', type: 'message', role: 'system', content: [{ type: 'input_text', text: 'x' }] },
  })
  assert.deepEqual((await client.last('conversation.item.done')).previous_item_id, null)
  client.send({ type: 'conversation.item.delete', item_id: 'first' })
  await client.until('conversation.item.deleted')
  client.send({ type: 'conversation.item.delete', item_id: 'first' })
  assert.equal((await client.last('error')).error.param, 'item_id')
})

test('the audio of response.create is that of the response', async t => {
  const sim = await simulateRealtime(t, plain([{ steps: [say('Hello')] }]))
  const client = await connectRealtime(t, sim, { output_modalities: ['audio'] })
  client.send({ type: 'response.create', response: { audio: { output: { voice: 'cedar' } } } })
  const { response } = (await client.untilDone()).at(-1)
  assert.equal(response.audio.output.voice, 'cedar')
  assert.equal(response.audio.output.format.type, 'audio/pcm')
  assert.equal((await sim.realtime.whenConnected()).session.audio.output.voice, 'marin')
})
