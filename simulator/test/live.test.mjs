// Gemini Live through the real SDK.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FunctionResponseScheduling, Modality } from '@google/genai'
import { connectLive, functionsOf, pcm, textOf, whenAnswered } from './live-client.mjs'
import { simulate } from './simulate.mjs'

const weather = {
  functionDeclarations: [
    {
      name: 'get_weather',
      parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
    },
  ],
}

test('a text turn streams pieces, then generationComplete, then turnComplete with usage', async t => {
  const sim = await simulate(t, {
    settings: { pieceChars: 10 },
    rules: [{ when: { user: 'hello' }, steps: [{ emit: [{ say: 'Good morning to you.' }] }] }],
  })
  const client = await connectLive(t, sim)
  client.session.sendClientContent({ turns: 'Hello!' })
  const frames = await client.untilTurn()
  assert.equal(textOf(frames), '[simulator] Good morning to you.')
  assert.equal(frames.filter(frame => frame.serverContent?.modelTurn).length, 4)
  const [generation, turn] = frames.slice(-2)
  assert.deepEqual(generation.serverContent, { generationComplete: true })
  assert.deepEqual(turn.serverContent, { turnComplete: true })
  assert.deepEqual(turn.usageMetadata, {
    promptTokenCount: 2,
    responseTokenCount: 8,
    totalTokenCount: 10,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 2 }],
    responseTokensDetails: [{ modality: 'TEXT', tokenCount: 8 }],
  })
})

test('realtime text is an utterance too', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [{ steps: [{ emit: [{ say: 'turn {{turn}}: {{user}}' }] }] }],
  })
  const client = await connectLive(t, sim)
  client.session.sendRealtimeInput({ text: 'are you there?' })
  assert.equal(textOf(await client.untilTurn()), 'turn 1: are you there?')
  client.session.sendClientContent({
    turns: [
      { role: 'user', parts: [{ text: 'one' }] },
      { role: 'user', parts: [{ text: 'two' }] },
    ],
    turnComplete: false,
  })
  client.session.sendClientContent({ turnComplete: true })
  assert.equal(textOf(await client.untilTurn()), 'turn 2: two')
})

test('voice: audio parts of 24 kHz PCM, and both transcriptions where they are asked for', async t => {
  const scenario = {
    settings: { label: '', toneMs: 50 },
    audio: { transcripts: ['who is there'] },
    rules: [{ when: { user: 'who is there', source: 'audio' }, steps: [{ emit: [{ say: 'Only a tone.' }] }] }],
  }
  const sim = await simulate(t, scenario)
  const client = await connectLive(t, sim, {
    responseModalities: [Modality.AUDIO],
    inputAudioTranscription: {},
    outputAudioTranscription: {},
  })
  client.session.sendRealtimeInput({ audio: pcm(1600) })
  const frames = await client.untilTurn()
  assert.deepEqual(frames[0].serverContent, { inputTranscription: { text: 'who is there' } })
  const { inlineData } = frames[1].serverContent.modelTurn.parts[0]
  assert.equal(inlineData.mimeType, 'audio/pcm;rate=24000')
  const samples = new Int16Array(Uint8Array.from(Buffer.from(inlineData.data, 'base64')).buffer)
  assert.equal(samples.length, 1200)
  assert.ok(samples.some(sample => sample > 2000))
  assert.deepEqual(frames[2].serverContent, { outputTranscription: { text: 'Only a tone.' } })
})

test('audio without a transcript: it says once that it cannot transcribe', async t => {
  const sim = await simulate(t, { rules: [] })
  const client = await connectLive(t, sim)
  for (const ms of [700, 700, 100]) client.session.sendRealtimeInput({ audio: pcm(ms) })
  assert.match(textOf(await client.untilTurn()), /simulator\. It received 1\.5 s of audio and cannot transcribe/)
  client.session.sendRealtimeInput({ audio: pcm(2000) })
  client.session.sendRealtimeInput({ audio: pcm(400) })
  client.session.sendRealtimeInput({ audioStreamEnd: true })
  assert.equal(textOf(await client.untilTurn()), '')
  client.session.sendRealtimeInput({ text: 'hello' })
  await client.untilTurn()
  client.session.sendRealtimeInput({ audio: pcm(400) })
  client.session.sendRealtimeInput({ audioStreamEnd: true })
  assert.equal(textOf(await client.untilTurn()), '')
})

test('manual activity detection: activityEnd ends the utterance, and activityStart interrupts the model', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    audio: { transcripts: ['first', 'second'] },
    rules: [
      { when: { user: 'first' }, steps: [{ emit: [{ say: 'a' }, { wait: 10000 }, { say: 'never said' }] }] },
      { when: { user: 'second' }, steps: [{ emit: [{ say: 'b' }] }] },
    ],
  })
  const client = await connectLive(t, sim, { realtimeInputConfig: { automaticActivityDetection: { disabled: true } } })
  const speak = ms => {
    client.session.sendRealtimeInput({ activityStart: {} })
    client.session.sendRealtimeInput({ audio: pcm(ms) })
    client.session.sendRealtimeInput({ activityEnd: {} })
  }
  speak(5000)
  await client.until(frame => textOf([frame]) === 'a')
  speak(300)
  const interrupted = await client.untilTurn()
  assert.deepEqual(
    interrupted.map(frame => frame.serverContent),
    [{ interrupted: true }, { turnComplete: true }],
  )
  assert.equal(textOf(await client.untilTurn()), 'b')
})

test('a tool call waits for its response; the next step cites what the tool returned', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [
      {
        when: { user: { regex: 'weather in (?<city>\\w+)' }, declared: ['get_weather'] },
        steps: [
          { emit: [{ call: { name: 'get_weather', args: { city: '{{match.city}}' } } }] },
          {
            emit: [
              {
                say: '{{result.data.sky}} in {{match.city}}, {{result.data.nothing.here}}, {{result.__proto__|own members only}}',
              },
            ],
          },
        ],
      },
    ],
  })
  const client = await connectLive(t, sim, { tools: [weather] })
  client.session.sendClientContent({ turns: 'weather in Paris?' })
  const [call] = functionsOf(await client.until(frame => frame.toolCall))
  assert.match(call.id, /^function-call-\d{19}$/)
  assert.deepEqual(call, { id: call.id, name: 'get_weather', args: { city: 'Paris' } })
  client.session.sendToolResponse({
    functionResponses: [{ id: call.id, name: call.name, response: { ok: true, data: { sky: 'rain' } } }],
  })
  assert.equal(textOf(await client.untilTurn()), 'rain in Paris, (no result.data.nothing.here), own members only')
  assert.deepEqual(sim.anomalies, [])
})

test('a step goes on when the last of several calls is answered, whatever the order', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [
      {
        steps: [
          {
            emit: [
              {
                calls: [
                  { name: 'a', id: '1' },
                  { name: 'b', id: '2' },
                ],
              },
            ],
          },
          { emit: [{ sayEach: { path: 'results', text: '{{number}}={{item.v}}', separator: ',' } }] },
        ],
      },
    ],
  })
  const client = await connectLive(t, sim)
  client.session.sendClientContent({ turns: 'go' })
  await client.until(frame => frame.toolCall)
  client.session.sendToolResponse({
    functionResponses: [
      { id: '2', name: 'b', response: { v: 'B' }, scheduling: FunctionResponseScheduling.SILENT, willContinue: true },
    ],
  })
  client.session.sendToolResponse({ functionResponses: [{ id: '2', name: 'b', response: { v: 'B' } }] })
  client.session.sendToolResponse({ functionResponses: [{ id: '1', name: 'a', response: { v: 'A' } }] })
  // an answer that announces more is kept, and does not settle its call
  assert.equal(textOf(await client.untilTurn()), '1=B,2=B,3=A')
  client.session.sendToolResponse({
    functionResponses: [
      { id: '1', name: 'a', response: {} },
      { id: 'x', name: 'a', response: {} },
    ],
  })
  await whenAnswered(sim, 'x')
  assert.deepEqual(
    sim.anomalies.map(({ kind, id }) => [kind, id]),
    [
      ['answered_twice', '1'],
      ['unknown_id', 'x'],
    ],
  )
})

test('hard calls: no id, one id twice, arguments that are no object, the same call in modelTurn.parts', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [
      {
        steps: [
          {
            emit: [
              { call: { name: 'a', id: null } },
              {
                calls: [
                  { name: 'b', id: 'twin', args: { n: 1 } },
                  { name: 'b', id: 'twin', args: { n: 2 } },
                ],
              },
              { call: { name: 'c', id: 'c', rawArgs: '{"cut' } },
              { call: { name: 'd', id: 'd', args: { x: 1 }, parts: 'before' } },
              { call: { name: 'e', id: 'e', parts: 'only', partId: true } },
            ],
          },
          { emit: [{ say: 'all answered' }] },
        ],
      },
    ],
  })
  const client = await connectLive(t, sim)
  client.session.sendClientContent({ turns: 'go' })
  const frames = await client.until(frame => JSON.stringify(frame).includes('"e"'))
  const seen = frames.map(
    frame =>
      frame.toolCall?.functionCalls ?? frame.serverContent.modelTurn.parts.map(part => ({ part: part.functionCall })),
  )
  assert.deepEqual(seen, [
    [{ name: 'a', args: {} }],
    [
      { id: 'twin', name: 'b', args: { n: 1 } },
      { id: 'twin', name: 'b', args: { n: 2 } },
    ],
    [{ id: 'c', name: 'c', args: '{"cut' }],
    [{ part: { name: 'd', args: { x: 1 } } }],
    [{ id: 'd', name: 'd', args: { x: 1 } }],
    [{ part: { id: 'e', name: 'e', args: {} } }],
  ])
  const answers = [
    ['made-up', 'a'],
    ['twin', 'b'],
    ['twin', 'b'],
    ['c', 'c'],
    ['d', 'd'],
    ['e', 'e'],
  ]
  client.session.sendToolResponse({ functionResponses: answers.map(([id, name]) => ({ id, name, response: {} })) })
  assert.equal(textOf(await client.untilTurn()), 'all answered')
  assert.deepEqual(sim.anomalies, [])
})

test('cancelled calls are told, and an answer to one is an anomaly', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [{ steps: [{ emit: [{ call: { name: 'slow', id: 's1' } }, { cancel: ['s1'] }, { say: 'Never mind.' }] }] }],
  })
  const client = await connectLive(t, sim)
  client.session.sendClientContent({ turns: 'go' })
  const frames = await client.untilTurn()
  assert.deepEqual(frames[1].toolCallCancellation, { ids: ['s1'] })
  assert.equal(textOf(frames), 'Never mind.')
  client.session.sendToolResponse({ functionResponses: [{ id: 's1', name: 'slow', response: {} }] })
  await whenAnswered(sim, 's1')
  assert.deepEqual(sim.anomalies, [
    { protocol: 'live', connection: 1, kind: 'answered_cancelled', id: 's1', name: 'slow' },
  ])
})

test('the user speaks while a tool runs: its call is cancelled, the turn is interrupted, the next one begins', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [
      {
        when: { user: 'first' },
        steps: [{ emit: [{ call: { name: 'slow', id: 's1' } }] }, { emit: [{ say: 'wrong' }] }],
      },
      { when: { turn: 2 }, steps: [{ emit: [{ say: 'second' }] }] },
    ],
  })
  const client = await connectLive(t, sim)
  client.session.sendClientContent({ turns: 'first' })
  await client.until(frame => frame.toolCall)
  client.session.sendClientContent({ turns: 'something else' })
  const frames = await client.untilTurn()
  assert.deepEqual(
    frames.map(({ toolCallCancellation, serverContent }) => toolCallCancellation ?? serverContent),
    [{ ids: ['s1'] }, { interrupted: true }, { turnComplete: true }],
  )
  assert.equal(textOf(await client.untilTurn()), 'second')
})

test('a scripted interruption ends the turn without generationComplete', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [{ steps: [{ emit: [{ say: 'I was ab' }, { interrupt: true }] }] }],
  })
  const client = await connectLive(t, sim)
  client.session.sendClientContent({ turns: 'go' })
  const frames = await client.untilTurn()
  assert.deepEqual(
    frames.slice(1).map(frame => frame.serverContent),
    [{ interrupted: true }, { turnComplete: true }],
  )
})

for (const [model, behavior, goesOn] of [
  ['gemini-live-2.5-flash-preview', undefined, false],
  ['gemini-live-2.5-flash-preview', 'NON_BLOCKING', true],
  ['gemini-3.8-live', undefined, true],
  ['gemini-3.8-live', 'BLOCKING', false],
]) {
  test(`${model}, behavior ${behavior}: ${goesOn ? 'goes on after' : 'waits beyond'} a first word`, async t => {
    const steps = [{ emit: [{ call: { name: 'a', id: '1' } }] }, { emit: [{ say: '{{result.v}}' }] }]
    const sim = await simulate(t, { settings: { label: '' }, rules: [{ when: { user: 'go' }, steps }] })
    const functionDeclarations = [{ name: 'a', ...(behavior === undefined ? {} : { behavior }) }]
    const client = await connectLive(t, sim, { tools: [{ functionDeclarations }] }, { model })
    client.session.sendClientContent({ turns: 'go' })
    await client.until(frame => frame.toolCall)
    const answer = (v, more) =>
      client.session.sendToolResponse({ functionResponses: [{ id: '1', name: 'a', response: { v }, ...more }] })
    answer('first', { willContinue: true })
    if (!goesOn) answer('last')
    assert.equal(textOf(await client.untilTurn()), goesOn ? 'first' : 'last')
    assert.deepEqual(sim.anomalies, [])
  })
}
