// A message in parts, and tools whose schemas are none, over the protocols of HTTP and in the events of sockets.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOfContent } from '../src/content-text.js'
import { SCHEMAS } from '../src/gpt-live/client-events.js'
import { clientFrameSchema } from '../src/live/client-frame-schema.js'
import { eventSchemas } from '../src/realtime/client-event-schema.js'
import { shapeErrors } from '../src/shape-errors.js'
import { simulate } from './simulate.mjs'

const ECHO = { settings: { label: '' }, rules: [{ steps: [{ emit: [{ say: '[{{user}}]' }] }] }] }
const partsOf = type => ['ada@example.com', "don't"].map(text => ({ ...(type && { type }), text }))

/** By protocol: its path, a request of `parts` and with a tool, and the text of the answer. */
const HTTP = {
  chat: {
    path: 'v1/chat/completions',
    body: parameters => ({
      model: 'm',
      messages: [{ role: 'user', content: partsOf('text') }],
      ...(parameters && { tools: [{ type: 'function', function: { name: 'note', parameters } }] }),
    }),
    said: ({ choices }) => choices[0].message.content,
  },
  responses: {
    path: 'v1/responses',
    body: parameters => ({
      model: 'm',
      input: [{ role: 'user', content: partsOf('input_text') }],
      ...(parameters && { tools: [{ type: 'function', name: 'note', parameters }] }),
    }),
    said: ({ output }) => output[0].content[0].text,
  },
  messages: {
    path: 'v1/messages',
    body: parameters => ({
      model: 'm',
      max_tokens: 99,
      messages: [{ role: 'user', content: partsOf('text') }],
      ...(parameters && { tools: [{ name: 'note', input_schema: parameters }] }),
    }),
    said: ({ content }) => content[0].text,
  },
  gemini: {
    path: 'v1beta/models/gemini-3.8-flash:generateContent',
    body: parametersJsonSchema => ({
      contents: [{ role: 'user', parts: partsOf() }],
      ...(parametersJsonSchema && { tools: [{ functionDeclarations: [{ name: 'note', parametersJsonSchema }] }] }),
    }),
    said: ({ candidates }) => candidates[0].content.parts[0].text,
  },
}

const post = async (sim, { path, body }, parameters) => {
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'k' }
  const response = await fetch(`${sim.url}/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body(parameters)),
  })
  return { status: response.status, json: await response.json() }
}

/** Parameters of which one keyword has another type than JSON Schema gives it. */
const BAD = [
  { properties: null },
  { properties: [] },
  { properties: { note: null } },
  { properties: { note: { enum: null } } },
  { properties: { note: { type: 'array', items: null } } },
  { properties: { note: { anyOf: 7 } } },
  { properties: { note: { type: 'object', properties: 'x' } } },
  { properties: {}, required: null },
].map(parameters => ({ type: 'object', ...parameters }))

for (const [name, protocol] of Object.entries(HTTP)) {
  test(`${name}: each part of a message is a line`, async t => {
    const { status, json } = await post(await simulate(t, ECHO), protocol)
    assert.deepEqual([status, status === 200 && protocol.said(json)], [200, "[ada@example.com\ndon't]"])
  })

  test(`${name}: a tool whose schema is none is a bad request; odd values are none`, async t => {
    const sim = await simulate(t)
    for (const parameters of BAD)
      assert.equal((await post(sim, protocol, parameters)).status, 400, JSON.stringify(parameters))
    const odd = { type: 'object', properties: { any: true, tone: { type: 'string', enum: ['(', 'a+', null] } } }
    assert.equal((await post(sim, protocol, odd)).status, 200)
  })
}

test('sockets: a tool whose schema is none is a bad event', () => {
  const flat = parameters => ({ tools: [{ type: 'function', name: 'note', parameters }] })
  const declarations = parametersJsonSchema => [{ functionDeclarations: [{ name: 'note', parametersJsonSchema }] }]
  const events = {
    realtime: [
      eventSchemas.get('session.update'),
      parameters => ({ type: 'session.update', session: { type: 'realtime', ...flat(parameters) } }),
    ],
    live: [clientFrameSchema, parameters => ({ setup: { model: 'models/m', tools: declarations(parameters) } })],
    gptLive: [
      SCHEMAS.get('session.update'),
      parameters => ({
        type: 'session.update',
        session: { delegation: { type: 'responses', responses: flat(parameters) } },
      }),
    ],
  }
  for (const [name, [schema, event]] of Object.entries(events)) {
    assert.equal(shapeErrors(schema, event({ type: 'object', properties: {} })), null, name)
    for (const parameters of BAD) assert.notEqual(shapeErrors(schema, event(parameters)), null, name)
  }
})

test('parts without text say nothing', () =>
  assert.equal(textOfContent([{ type: 'image' }, { text: 'a' }, { text: '' }, { text: 'b' }]), 'a\nb'))
