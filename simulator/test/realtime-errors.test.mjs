// Errors of the Realtime API, and the begin and end of its connections.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import OpenAI from 'openai'
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket'
import { WebSocket } from 'ws'
import { certificate, connectRealtime, simulateRealtime, speech } from './realtime-client.mjs'
import { simulate } from './simulate.mjs'

const session = more => ({ type: 'session.update', session: { type: 'realtime', ...more } })
const item = more => ({ type: 'conversation.item.create', item: more })
const user = (...content) => item({ type: 'message', role: 'user', content })

const REFUSED = [
  ['an unknown type', { type: 'response.start' }, 'type', 'invalid_value'],
  ['no type', { event: 'x' }, 'type', 'missing_required_parameter'],
  ['an unknown parameter', { type: 'response.cancel', reason: 'x' }, 'reason', 'unknown_parameter'],
  ['a session without type', { type: 'session.update', session: {} }, 'session.type', 'missing_required_parameter'],
  ['a session of the beta', session({ modalities: ['text'] }), 'session.modalities', 'unknown_parameter'],
  ['both modalities', session({ output_modalities: ['text', 'audio'] }), 'session.output_modalities', 'invalid_value'],
  ['another model', session({ model: 'other' }), 'session.model', 'invalid_value'],
  [
    'a format that the simulator has not',
    session({ audio: { input: { format: { type: 'audio/pcmu' } } } }),
    'session.audio.input.format.type',
    'invalid_value',
  ],
  [
    'an unknown turn detection',
    session({ audio: { input: { turn_detection: { type: 'vad' } } } }),
    'session.audio.input.turn_detection.type',
    'invalid_value',
  ],
  [
    'a nested tool, as Chat Completions has it',
    session({ tools: [{ type: 'function', function: { name: 'a' } }] }),
    'session.tools[0].name',
    'missing_required_parameter',
  ],
  [
    'a strict tool',
    session({ tools: [{ type: 'function', name: 'a', strict: true }] }),
    'session.tools[0].strict',
    'unknown_parameter',
  ],
  [
    'a bad tool name',
    session({ tools: [{ type: 'function', name: 'a.b' }] }),
    'session.tools[0].name',
    'invalid_value',
  ],
  ['audio that is no base64', { type: 'input_audio_buffer.append', audio: 'ab*=' }, 'audio', 'invalid_value'],
  ['audio that is cut', { type: 'input_audio_buffer.append', audio: 'abc' }, 'audio', 'invalid_value'],
  ['audio of another type', { type: 'input_audio_buffer.append', audio: [1] }, 'audio', 'invalid_type'],
  ['an empty commit', { type: 'input_audio_buffer.commit' }, null, 'input_audio_buffer_commit_empty'],
  ['an item of an unknown type', item({ type: 'call' }), 'item.type', 'invalid_value'],
  ['an item without type', item({}), 'item.type', 'missing_required_parameter'],
  ['a text part of the Responses API', user({ type: 'text', text: 'x' }), 'item.content[0].type', 'invalid_value'],
  ['a part without its text', user({ type: 'input_text' }), 'item.content[0].text', 'missing_required_parameter'],
  [
    'an item of speech that is no base64',
    user({ type: 'input_audio', audio: '?' }),
    'item.content[0].audio',
    'invalid_value',
  ],
  [
    'an output that is no text',
    item({ type: 'function_call_output', call_id: 'a', output: {} }),
    'item.output',
    'invalid_type',
  ],
  [
    'an output without a call',
    item({ type: 'function_call_output', call_id: 'a', output: '' }),
    'item.call_id',
    'invalid_tool_call_id',
  ],
  [
    'an item after nothing',
    { ...user({ type: 'input_text', text: 'x' }), previous_item_id: 'nobody' },
    'previous_item_id',
    'invalid_item_id',
  ],
  [
    'a truncation without its end',
    { type: 'conversation.item.truncate', item_id: 'a', content_index: 0 },
    'audio_end_ms',
    'missing_required_parameter',
  ],
  [
    'a response to an item of an unknown type',
    { type: 'response.create', response: { conversation: 'none', input: [{ type: 'item_reference', id: 'a' }] } },
    'response.input[0].type',
    'invalid_value',
  ],
  ['clearing audio that the client plays itself', { type: 'output_audio_buffer.clear' }, null, 'invalid_value'],
]

for (const [what, event, param, code] of REFUSED) {
  test(`refused with an error event: ${what}`, async t => {
    const sim = await simulateRealtime(t, { rules: [] })
    const client = await connectRealtime(t, sim)
    client.send({ ...event, event_id: 'mine' })
    const { error } = await client.last('error')
    assert.deepEqual(
      [error.type, error.param, error.code, error.event_id],
      ['invalid_request_error', param, code, 'mine'],
    )
    client.say('still there?')
    assert.equal((await client.last('response.done')).response.status, 'completed')
  })
}

test('the voice stays once it was heard; the id of an item is not used twice', async t => {
  const sim = await simulateRealtime(t, { rules: [] })
  const client = await connectRealtime(t, sim, { output_modalities: ['audio'] })
  client.say('hi')
  await client.untilDone()
  client.send(session({ audio: { output: { voice: 'ash' } } }))
  assert.equal((await client.last('error')).error.code, 'cannot_update_voice')
  const mine = item({ id: 'mine', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] })
  client.send(mine, mine)
  assert.equal((await client.last('error')).error.code, 'item_create_duplicate_id')
})

test("the SDK's browser client: its key is a subprotocol, which is not echoed and not kept", async t => {
  const sim = await simulateRealtime(t, { settings: { label: '' }, rules: [{ steps: [{ emit: [{ say: 'hi' }] }] }] })
  // Node 20 has no global WebSocket
  const before = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket')
  const trusting = class extends WebSocket {
    constructor(url, protocols) {
      super(url, protocols, { ca: certificate.cert })
    }
  }
  Object.defineProperty(globalThis, 'WebSocket', { value: trusting, configurable: true })
  t.after(() =>
    before === undefined ? delete globalThis.WebSocket : Object.defineProperty(globalThis, 'WebSocket', before),
  )
  const openai = new OpenAI({ apiKey: 'sk-SECRET', baseURL: `${sim.url}/v1` })
  const realtime = new OpenAIRealtimeWebSocket({ model: 'gpt-realtime' }, openai)
  t.after(() => realtime.socket.terminate())
  const next = type => new Promise(resolve => realtime.once(type, resolve))
  assert.equal((await next('session.created')).session.model, 'gpt-realtime')
  assert.equal(realtime.socket.protocol, 'realtime')
  realtime.send({ type: 'response.create', response: { output_modalities: ['text'] } })
  assert.equal((await next('response.output_text.done')).text, 'hi')
  assert.ok(!JSON.stringify(sim.received).includes('SECRET'))
})

test('without a model: an error event, and a close', async t => {
  const sim = await simulate(t, { rules: [] })
  const socket = new WebSocket(`${sim.url.replace('http', 'ws')}/v1/realtime`)
  const [first] = await once(socket, 'message')
  assert.equal(JSON.parse(first).error.code, 'missing_model')
  assert.equal((await once(socket, 'close'))[0], 4000)
})

test('a client that goes away in the middle of an answer, and a scripted disconnect', async t => {
  const sim = await simulateRealtime(t, {
    rules: [
      { when: { user: 'slow' }, steps: [{ emit: [{ say: 'a' }, { wait: 10000 }] }] },
      { when: { user: 'close' }, steps: [{ emit: [{ disconnect: { code: 1012, reason: 'restart' } }] }] },
      { when: { user: 'garble' }, steps: [{ emit: [{ malformed: '{"type":' }, { frame: { type: 'made.up' } }] }] },
    ],
  })
  const first = await connectRealtime(t, sim)
  first.say('slow')
  await first.until('response.output_text.delta')
  first.send({ type: 'input_audio_buffer.append', audio: speech(20) })
  first.realtime.socket.terminate()
  await sim.realtime.connections[0].closed
  const second = await connectRealtime(t, sim)
  second.say('garble')
  await second.until('made.up')
  second.say('close')
  assert.deepEqual(await sim.realtime.connections[1].closed, { code: 1012, reason: 'restart' })
})
