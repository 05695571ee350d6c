// Thousands of frames and requests with small errors, mutated from valid ones by a seeded random sequence: each is
// accepted or refused, and none causes an internal error.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { simulate } from './simulate.mjs'

const ODD = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  0.5,
  '',
  'x',
  '__proto__',
  'constructor',
  '\ud800',
  [],
  [null],
  {},
  { type: 'x' },
  [[]],
  'type',
]

/** @returns {() => number} numbers from 0 to 1, the same at each run */
function chances(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** A copy with one to three members changed, left out or renamed. */
function mutate(good, chance) {
  const copy = structuredClone(good)
  for (let left = 1 + Math.floor(chance() * 3); left > 0; left -= 1) {
    const places = placesIn(copy)
    const { holder, key } = places[Math.floor(chance() * places.length)]
    const act = Math.floor(chance() * 4)
    if (act === 0) delete holder[key]
    else if (act === 1) rename(holder, key, oddOf(chance))
    else holder[key] = oddOf(chance)
  }
  return copy
}

function oddOf(chance) {
  return structuredClone(ODD[Math.floor(chance() * ODD.length)])
}

function rename(holder, key, name) {
  const value = holder[key]
  delete holder[key]
  Object.defineProperty(holder, String(name), { value, enumerable: true, configurable: true, writable: true })
}

function placesIn(value) {
  if (typeof value !== 'object' || value === null) return []
  const places = Object.keys(value).flatMap(key => [{ holder: value, key }, ...placesIn(value[key])])
  return places.length > 0 ? places : [{ holder: value, key: 'x' }]
}

const parameters = {
  type: 'object',
  properties: { a: { type: ['string', 'null'] } },
  required: ['a'],
  additionalProperties: false,
}
const audio = Buffer.alloc(4800, 'ab').toString('base64')
const rules = [
  { when: { turn: 1 }, steps: [{ emit: [{ call: { name: 'a', id: 'c1' } }] }, { emit: [{ say: 'x{{result.a}}' }] }] },
  {
    when: { turn: 2 },
    steps: [{ emit: [{ say: 'slow' }, { wait: 20 }, { call: { name: 'b', cut: true } }, { finish: 'length' }] }],
  },
]

const EVENTS = [
  {
    type: 'session.update',
    session: {
      type: 'realtime',
      output_modalities: ['audio'],
      tools: [{ type: 'function', name: 'a', parameters }],
      tool_choice: 'auto',
      audio: {
        input: { transcription: { model: 'm' }, turn_detection: { type: 'server_vad', silence_duration_ms: 20 } },
        output: { voice: 'ash' },
      },
    },
  },
  { type: 'input_audio_buffer.append', audio },
  { type: 'input_audio_buffer.append', audio: Buffer.alloc(4800).toString('base64') },
  { type: 'input_audio_buffer.commit' },
  { type: 'input_audio_buffer.clear' },
  {
    type: 'conversation.item.create',
    previous_item_id: 'i1',
    item: {
      id: 'i1',
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'x' },
        { type: 'input_audio', audio },
      ],
    },
  },
  {
    type: 'conversation.item.create',
    item: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] },
  },
  { type: 'conversation.item.create', item: { type: 'function_call', call_id: 'c1', name: 'a', arguments: '{}' } },
  { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'c1', output: '{"a":1}' } },
  { type: 'conversation.item.delete', item_id: 'i1' },
  { type: 'conversation.item.retrieve', item_id: 'i1' },
  { type: 'conversation.item.truncate', item_id: 'i1', content_index: 0, audio_end_ms: 1 },
  {
    type: 'response.create',
    response: {
      output_modalities: ['text'],
      tools: [{ type: 'function', name: 'a' }],
      tool_choice: 'none',
      metadata: { a: 'b' },
    },
  },
  { type: 'response.create' },
  { type: 'response.cancel' },
]

for (const seed of [1, 2, 3, 4]) {
  test(`Realtime, sequence ${seed}: the connection stays open`, async t => {
    const errors = []
    const sim = await simulate(
      t,
      { settings: { label: '' }, rules },
      { log: line => / error: /.test(line) && errors.push(line) },
    )
    const socket = new WebSocket(`${sim.url.replace('http', 'ws')}/v1/realtime?model=m`)
    t.after(() => socket.terminate())
    await once(socket, 'open')
    const chance = chances(seed)
    for (let at = 0; at < 1000; at += 1) {
      const good = EVENTS[Math.floor(chance() * EVENTS.length)]
      socket.send(JSON.stringify(chance() < 0.4 ? good : mutate(good, chance)))
    }
    socket.ping()
    await Promise.race([once(socket, 'pong'), once(socket, 'close')])
    assert.deepEqual([errors, socket.readyState], [[], WebSocket.OPEN])
  })
}

const talk = [
  { role: 'user', content: 'x' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: '{"a":1}' }] },
]
const REQUESTS = {
  '/v1/chat/completions': {
    model: 'm',
    stream: false,
    stream_options: null,
    tool_choice: 'auto',
    tools: [{ type: 'function', function: { name: 'a', parameters, strict: true } }],
    messages: talk,
  },
  '/v1/responses': {
    model: 'm',
    instructions: 'x',
    tools: [{ type: 'function', name: 'a', parameters, strict: true }],
    metadata: {},
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'x' }] },
      { type: 'reasoning', id: 'r', summary: [] },
      { type: 'function_call', call_id: 'c1', name: 'a', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: '{}' }] },
    ],
  },
  '/v1/messages': {
    model: 'm',
    max_tokens: 5,
    system: [{ type: 'text', text: 'x' }],
    thread: { type: 'create' },
    tool_choice: { type: 'tool', name: 'a' },
    tools: [{ name: 'a', input_schema: parameters }],
    messages: [
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'x' },
          { type: 'tool_use', id: 'c1', name: 'a', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: '{}' }] }] },
    ],
  },
}

for (const [path, good] of Object.entries(REQUESTS)) {
  test(`${path}: nothing but answers and refusals`, async t => {
    const sim = await simulate(t, { settings: { label: '' }, rules })
    const ask = async body => {
      const response = await fetch(sim.url + path, {
        method: 'POST',
        headers: { 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(body),
      })
      return { status: response.status, text: await response.text() }
    }
    assert.equal((await ask(good)).status, 200)
    const chance = chances(5)
    const counts = {}
    for (let at = 0; at < 1000; at += 1) {
      const body = mutate(good, chance)
      const { status, text } = await ask(body)
      assert.ok([200, 400, 404].includes(status), `${status} ${text} to ${JSON.stringify(body)}`)
      counts[status] = (counts[status] ?? 0) + 1
    }
    assert.ok(counts[200] > 20 && counts[400] > 200, JSON.stringify(counts))
  })
}
