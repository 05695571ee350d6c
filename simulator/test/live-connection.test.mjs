// Lifecycle of a Live connection: refusals, disconnects, reconnects, resumption. Through the real SDK if it can send
// the frame, else through a plain WebSocket.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { connectLive, functionsOf, textOf } from './live-client.mjs'
import { simulate } from './simulate.mjs'

const PATH = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
const SETUP = { setup: { model: 'models/x' } }

async function rawSocket(t, sim, path = PATH) {
  const socket = new WebSocket(sim.url.replace('http', 'ws') + path)
  t.after(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

async function closeAfter(t, sim, frames) {
  const socket = await rawSocket(t, sim)
  const closed = once(socket, 'close')
  for (const frame of frames) socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  const [code, reason] = await closed
  return [code, reason.toString()]
}

const declared = (...functionDeclarations) => ({ setup: { model: 'models/x', tools: [{ functionDeclarations }] } })
const content = value => [SETUP, { clientContent: value }]

const REFUSED = [
  ['no JSON', ['{"setup"'], /not JSON/],
  ['an unknown message', [{ hello: {} }], /unknown name `hello` at the frame/],
  ['two messages in one frame', [{ ...SETUP, clientContent: {} }], /exactly one of setup/],
  ['content before setup', [{ clientContent: { turnComplete: true } }], /setup must be the first message/],
  ['a second setup', [SETUP, SETUP], /setup must be the first message and only the first/],
  ['setup without a model', [{ setup: {} }], /must have required property 'model'/],
  [
    'two modalities',
    [{ setup: { model: 'm', generationConfig: { responseModalities: ['TEXT', 'AUDIO'] } } }],
    /responseModalities/,
  ],
  ['turns that are no list', content({ turns: {} }), /`clientContent\.turns` must be array/],
  [
    'a role that does not exist',
    content({ turns: [{ role: 'system', parts: [{ text: 'x' }] }] }),
    /role` is none of the allowed values/,
  ],
  ['an empty realtime input', [SETUP, { realtimeInput: {} }], /realtimeInput/],
  [
    'audio that is no base64',
    [SETUP, { realtimeInput: { audio: { mimeType: 'audio/pcm', data: 'ä' } } }],
    /audio\.data/,
  ],
  [
    'audio of another type',
    [SETUP, { realtimeInput: { audio: { mimeType: 'image/png', data: '' } } }],
    /audio\.mimeType/,
  ],
  [
    'activityStart with automatic detection',
    [SETUP, { realtimeInput: { activityStart: {} } }],
    /automaticActivityDetection\.disabled/,
  ],
  [
    'a response that is no object',
    [SETUP, { toolResponse: { functionResponses: [{ id: '1', name: 'a', response: 'ok' }] } }],
    /response` must be object/,
  ],
  [
    'a schema word that Gemini does not know',
    [declared({ name: 'a', parameters: { type: 'OBJECT', additionalProperties: false } })],
    /unknown name `additionalProperties`/,
  ],
  [
    'an enum of numbers',
    [declared({ name: 'a', parameters: { type: 'OBJECT', properties: { n: { type: 'INTEGER', enum: ['1'] } } } })],
    /type that is not allowed/,
  ],
  [
    'an object without properties',
    [declared({ name: 'a', parameters: { type: 'OBJECT', properties: {} } })],
    /should be non-empty for OBJECT type/,
  ],
  ['one name twice', [declared({ name: 'a' }, { name: 'a' })], /duplicate function declaration `a`/],
  [
    'both forms of parameters',
    [declared({ name: 'a', parameters: {}, parametersJsonSchema: {} })],
    /both `parameters` and/,
  ],
]

for (const [what, frames, reason] of REFUSED) {
  test(`refused with 1007: ${what}`, async t => {
    const [code, said] = await closeAfter(t, await simulate(t, { rules: [] }), frames)
    assert.equal(code, 1007)
    assert.match(said, reason)
    assert.ok(Buffer.byteLength(said) <= 123)
  })
}

test('the SDK sees the reason of a refusal', async t => {
  const sim = await simulate(t, { rules: [] })
  const client = await connectLive(t, sim)
  client.session.sendRealtimeInput({ activityStart: {} })
  assert.deepEqual(await client.closed, {
    code: 1007,
    reason: 'activityStart and activityEnd need automaticActivityDetection.disabled in setup',
  })
})

test('other paths are no Live endpoint; the API version may be any; the upgrade names the simulator', async t => {
  const sim = await simulate(t, { rules: [] })
  await assert.rejects(rawSocket(t, sim, '/ws/somewhere.else'), /404/)
  for (const path of [
    `/${PATH.replace('v1beta', 'v1')}`,
    PATH.replace('v1beta', 'v1alpha').concat('Constrained'),
    '/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent',
  ]) {
    const socket = new WebSocket(sim.url.replace('http', 'ws') + path)
    t.after(() => socket.terminate())
    const [response] = await once(socket, 'upgrade')
    assert.equal(response.headers['x-toolgate-simulator'], '1')
  }
})

test('keys are not kept', async t => {
  const sim = await simulate(t, { rules: [] })
  await connectLive(t, sim)
  const [entry] = sim.received
  assert.match(entry.path, /^\/\/ws\/google\.ai\.generativelanguage\.v1beta/)
  assert.match(entry.headers['user-agent'], /google-genai-sdk\/2\./)
  assert.ok(!JSON.stringify(sim.received).includes('SECRET_KEY'))
})

test('Vertex AI mode of the SDK speaks to it too', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [{ steps: [{ emit: [{ call: { name: 'a', id: '1' } }] }, { emit: [{ say: 'done' }] }] }],
  })
  const client = await connectLive(t, sim, {}, { vertexai: true })
  client.session.sendClientContent({ turns: 'go' })
  assert.deepEqual(functionsOf(await client.until(frame => frame.toolCall)), [{ id: '1', name: 'a', args: {} }])
  client.session.sendToolResponse({ functionResponses: [{ id: '1', name: 'a', response: {} }] })
  assert.equal(textOf(await client.untilTurn()), 'done')
})

test('a scripted disconnect in the middle of a call; the second connection sends the same call again', async t => {
  const call = { call: { name: 'order', id: 'order-1', args: { item: 'tea' } } }
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [
      {
        when: { connection: 1 },
        steps: [
          {
            emit: [
              call,
              { goAway: { timeLeft: '1s' } },
              { disconnect: { code: 1011, reason: 'the service is unavailable' } },
            ],
          },
        ],
      },
      { when: { event: 'setup', connection: 2 }, steps: [{ emit: [call] }, { emit: [{ say: 'Welcome back.' }] }] },
    ],
  })
  const first = await connectLive(t, sim)
  first.session.sendClientContent({ turns: 'order tea' })
  const frames = await first.until(frame => frame.goAway)
  assert.deepEqual(frames.at(-1), { goAway: { timeLeft: '1s' } })
  assert.deepEqual(await first.closed, { code: 1011, reason: 'the service is unavailable' })
  const second = await connectLive(t, sim)
  assert.deepEqual(functionsOf(await second.until(frame => frame.toolCall)), functionsOf(frames))
  second.session.sendToolResponse({ functionResponses: [{ id: 'order-1', name: 'order', response: { ok: true } }] })
  assert.equal(textOf(await second.untilTurn()), 'Welcome back.')
  assert.deepEqual(
    sim.live.connections.map(({ isOpen }) => isOpen),
    [false, true],
  )
})

test('a cut connection closes with 1006', async t => {
  const sim = await simulate(t, { rules: [{ steps: [{ emit: [{ disconnect: true }] }] }] })
  const client = await connectLive(t, sim)
  client.session.sendClientContent({ turns: 'go' })
  assert.deepEqual(await client.closed, { code: 1006, reason: '' })
})

test('tests push frames and disconnect by hand', async t => {
  const sim = await simulate(t, { rules: [] })
  const connected = sim.live.whenConnected()
  const client = await connectLive(t, sim)
  const connection = await connected
  connection.send({ toolCallCancellation: { ids: ['x'] } })
  assert.deepEqual(await client.until(frame => frame.toolCallCancellation), [{ toolCallCancellation: { ids: ['x'] } }])
  connection.disconnect({ code: 1012, reason: 'restart' })
  assert.deepEqual(await client.closed, { code: 1012, reason: 'restart' })
  assert.equal((await connection.closed).code, 1012)
})

test('resumption: a handle after setup and after each turn, and the turn count goes on', async t => {
  const sim = await simulate(t, { settings: { label: '' }, rules: [{ steps: [{ emit: [{ say: 'turn {{turn}}' }] }] }] })
  const first = await connectLive(t, sim, { sessionResumption: {} })
  first.session.sendClientContent({ turns: 'go' })
  await first.untilTurn()
  const [{ sessionResumptionUpdate }] = await first.until(frame => frame.sessionResumptionUpdate)
  assert.equal(sessionResumptionUpdate.resumable, true)
  first.session.close()
  const second = await connectLive(t, sim, { sessionResumption: { handle: sessionResumptionUpdate.newHandle } })
  second.session.sendClientContent({ turns: 'go on' })
  assert.equal(textOf(await second.untilTurn()), 'turn 2')
  const [code, reason] = await closeAfter(t, sim, [{ setup: { model: 'm', sessionResumption: { handle: 'nobody' } } }])
  assert.deepEqual([code, reason], [1008, 'session not found for this resumption handle'])
})

test('input of a superseded connection is answered there, also once the later one is closed', async t => {
  const sim = await simulate(t, { settings: { label: '' }, rules: [{ steps: [{ emit: [{ say: 'turn {{turn}}' }] }] }] })
  const first = await connectLive(t, sim, { sessionResumption: {} })
  const [{ sessionResumptionUpdate }] = await first.until(frame => frame.sessionResumptionUpdate)
  const second = await connectLive(t, sim, { sessionResumption: { handle: sessionResumptionUpdate.newHandle } })
  first.session.sendClientContent({ turns: 'still here' })
  assert.equal(textOf(await first.untilTurn()), 'turn 1')
  second.session.sendClientContent({ turns: 'me too' })
  assert.equal(textOf(await second.untilTurn()), 'turn 2')
  const connection = await sim.live.whenConnected(2)
  second.session.close()
  await connection.closed
  first.session.sendClientContent({ turns: 'and again' })
  assert.equal(textOf(await first.untilTurn()), 'turn 3')
})

test('`disconnect: false` disconnects nothing', async t => {
  const emit = [{ disconnect: false }, { say: 'still here' }]
  const sim = await simulate(t, { settings: { label: '' }, rules: [{ steps: [{ emit }] }] })
  const client = await connectLive(t, sim)
  client.session.sendClientContent({ turns: 'go' })
  assert.equal(textOf(await client.untilTurn()), 'still here')
})

test('a rule for results knows the source of the utterance', async t => {
  const when = source => ({ results: true, source })
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [
      { when: 'always', steps: [{ emit: [{ call: { name: 'a', id: 'call-1' } }] }] },
      { when: when('audio'), steps: [{ emit: [{ say: 'spoken' }] }] },
      { when: when('text'), steps: [{ emit: [{ say: 'typed' }] }] },
    ],
  })
  const client = await connectLive(t, sim, { tools: [{ functionDeclarations: [{ name: 'a' }] }] })
  client.session.sendClientContent({ turns: 'go' })
  await client.until(frame => frame.toolCall)
  client.session.sendToolResponse({ functionResponses: [{ id: 'call-1', name: 'a', response: {} }] })
  assert.equal(textOf(await client.untilTurn()), 'typed')
})

test('a malformed frame goes out as it is scripted', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [
      {
        steps: [
          {
            emit: [{ malformed: '{"serverContent":' }, { frame: { toolCall: { functionCalls: 'none' } } }],
            complete: false,
          },
        ],
      },
    ],
  })
  const socket = await rawSocket(t, sim)
  const messages = []
  const done = new Promise(resolve => {
    socket.on('message', (bytes, isBinary) => {
      messages.push([isBinary, bytes.toString()])
      if (messages.length === 3) resolve()
    })
  })
  for (const frame of content({ turns: [{ role: 'user', parts: [{ text: 'go' }] }], turnComplete: true }))
    socket.send(Buffer.from(JSON.stringify(frame)))
  await done
  assert.deepEqual(messages, [
    [true, '{"setupComplete":{}}'],
    [true, '{"serverContent":'],
    [true, '{"toolCall":{"functionCalls":"none"}}'],
  ])
})
