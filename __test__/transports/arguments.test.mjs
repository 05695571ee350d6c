// The arguments of calls have one form for the host, whatever the provider: what the model sent, parsed. The gate reads the text that
// came, as long as the object says the same.
import { createRequire } from 'node:module'
import { openNotes } from '../adapters/note-tools.mjs'

const require = createRequire(import.meta.url)
const { AnthropicTransport } = require('../../js/transports/anthropic-transport.js')
const { GeminiLiveTransport } = require('../../js/transports/gemini-live-transport.js')
const { OpenAILiveTransport } = require('../../js/transports/openai-live-transport.js')
const { OpenAIRealtimeTransport } = require('../../js/transports/openai-realtime-transport.js')
const { OpenAITransport } = require('../../js/transports/openai-transport.js')
const { argsOfCall } = require('../../js/values/received-args.js')

const [ID, NAME] = ['call_abcdefgh01', 'find_note']
const client = { send() {} }
const item = text => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: ID,
  name: NAME,
  arguments: text,
  status: 'completed',
})
const response = text => ({ id: 'r1', object: 'response', status: 'completed', output: [item(text)] })
const chat = text => ({
  id: 'm1',
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: { role: 'assistant', tool_calls: [{ id: ID, function: { name: NAME, arguments: text } }] },
    },
  ],
})
const FORMS = {
  chat: text => new OpenAITransport().receiveToolCalls(chat(text)),
  responses: text => new OpenAITransport().receiveToolCalls(response(text)),
  realtime: text =>
    new OpenAIRealtimeTransport(client).receiveToolCalls({ type: 'response.done', response: response(text) }),
  'GPT-Live': text =>
    new OpenAILiveTransport(client).receiveToolCalls({
      type: 'response.event',
      event: { type: 'response.completed', response: response(text) },
    }),
  anthropic: text =>
    new AnthropicTransport().receiveToolCalls({
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', id: ID, name: NAME, input: JSON.parse(text) }],
    }),
  gemini: text =>
    new GeminiLiveTransport(client).receiveToolCalls({
      toolCall: { functionCalls: [{ id: ID, name: NAME, args: JSON.parse(text) }] },
    }),
  'gemini, as text': text =>
    new GeminiLiveTransport(client).receiveToolCalls(
      JSON.stringify({ toolCall: { functionCalls: [{ id: ID, name: NAME, args: JSON.parse(text) }] } }),
    ),
}

test.each(Object.entries(FORMS))('%s: an object, in copies too', (_form, read) => {
  const whole = { id: ID, name: NAME, args: { query: 'a', limit: 9 } }
  const call = () => read('{"query": "a", "limit": 9}')[0]
  expect(call()).toEqual(whole)
  expect({ ...call() }).toEqual(whole)
  expect(structuredClone(call())).toEqual(whole)
  expect(JSON.parse(JSON.stringify(call()))).toEqual(whole)
  expect(Object.keys(call())).toEqual(['id', 'name', 'args'])
  const changed = call()
  changed.args.limit = Math.min(changed.args.limit, 3)
  expect(argsOfCall(changed)).toEqual({ query: 'a', limit: 3 })
})

const one = text => FORMS.chat(text)[0]

test.each([
  ['', {}],
  [' null ', {}],
  ['{"a', '{"a'],
  ['"x"', '"x"'],
  ['[1]', '[1]'],
  ['7', '7'],
])('the arguments %j are %j', (text, args) => {
  const call = one(text)
  expect(call.args).toEqual(args)
  expect(argsOfCall(call)).toBe(text)
  expect(argsOfCall({ ...call })).toBe(text)
})

const TEXT = '{"n": 12345678901234567890, "a":1}'
test('the gate reads the text that came until the host changes the object', () => {
  const unseen = one(TEXT)
  expect(argsOfCall(unseen)).toBe(TEXT)
  const seen = one(TEXT)
  expect(seen.args.a).toBe(1)
  expect(argsOfCall(seen)).toBe(TEXT)
  expect(argsOfCall({ ...seen })).toBe(TEXT)
  expect(argsOfCall({ id: seen.id, name: seen.name, args: seen.args })).toBe(TEXT)
  seen.args.a = 2
  expect(argsOfCall(seen)).toEqual({ n: Number('12345678901234567890'), a: 2 })
  seen.args.a = 1
  expect(argsOfCall(seen)).toBe(TEXT)
  seen.args = { a: 5 }
  expect([seen.args, argsOfCall(seen)]).toEqual([{ a: 5 }, { a: 5 }])
  seen.args = '{"a":6}'
  expect(argsOfCall(seen)).toBe('{"a":6}')
  const other = one(TEXT)
  other.args = undefined
  expect(argsOfCall(other)).toBeUndefined()
  const cyclic = one(TEXT)
  cyclic.args.self = cyclic.args
  expect(argsOfCall(cyclic)).toBe(cyclic.args)
})

test('a call runs with what the host made of its arguments', async () => {
  const notes = await openNotes()
  try {
    const [clamped, spread, unseen] = ['a', 'b', 'c'].map(query => one(`{"query":"${query}","limit":9}`))
    clamped.args.limit = 3
    await notes.session.execute({ ...clamped, id: 'call_abcdefgh11' })
    await notes.session.execute({ ...spread, id: 'call_abcdefgh12', args: { ...spread.args, limit: 2 } })
    await notes.session.execute(unseen)
    expect(notes.ran.map(({ args }) => args)).toEqual([
      { query: 'a', limit: 3 },
      { query: 'b', limit: 2 },
      { query: 'c', limit: 9 },
    ])
  } finally {
    await notes.close()
  }
})
