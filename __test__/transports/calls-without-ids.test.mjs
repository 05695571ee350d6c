// Calls without a usable id through a transport and the gate: equal ones of a turn run once, and each is answered.
import { createRequire } from 'node:module'
import toolCall from '../../js/adapters/tool-call.js'
import { openNotes } from '../adapters/note-tools.mjs'

const require = createRequire(import.meta.url)
const { AnthropicTransport } = require('../../js/transports/anthropic-transport.js')
const { GeminiLiveTransport } = require('../../js/transports/gemini-live-transport.js')
const { OpenAIRealtimeTransport } = require('../../js/transports/openai-realtime-transport.js')
const { OpenAITransport } = require('../../js/transports/openai-transport.js')

let notes
beforeEach(async () => {
  notes = await openNotes({}, { requiresConfirmation: false })
})
afterEach(() => notes.close())

const NAME = 'send_note'
const ARGS = { to: 'Ada' }
const item = (call_id, id) => ({ type: 'function_call', id, call_id, name: NAME, arguments: JSON.stringify(ARGS) })

/** Each makes a transport, the events of a message whose calls have `ids`, and what answers were sent to. */
const PROTOCOLS = {
  chat: () => ({
    transport: new OpenAITransport(),
    message: (ids, id) => ({
      id,
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            tool_calls: ids.map(callId => ({ id: callId, function: { name: NAME, arguments: JSON.stringify(ARGS) } })),
          },
        },
      ],
    }),
  }),
  responses: () => ({
    transport: new OpenAITransport(),
    message: (ids, id) => ({
      id,
      object: 'response',
      status: 'completed',
      output: ids.map((callId, at) => ({ ...item(callId ?? 'fc', `fc_${id}_${at}`), status: 'completed' })),
    }),
  }),
  anthropic: () => ({
    transport: new AnthropicTransport(),
    message: (ids, id) => ({
      id,
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: ids.map(callId => ({ type: 'tool_use', id: callId ?? 'fc', name: NAME, input: ARGS })),
    }),
  }),
  realtime: () => ({
    transport: new OpenAIRealtimeTransport({ send() {} }),
    message: (ids, id) => ({
      type: 'response.done',
      response: {
        id,
        status: 'completed',
        output: ids.map((callId, at) => ({ ...item(callId ?? 'fc', `fc_${id}_${at}`), status: 'completed' })),
      },
    }),
  }),
  gemini: () => ({
    transport: new GeminiLiveTransport({ sendToolResponse() {} }, { surface: 'vertex' }),
    message: ids => ({ toolCall: { functionCalls: ids.map(id => ({ id, name: NAME, args: ARGS })) } }),
  }),
}

/** The number of answers. */
async function exchange({ transport, message }, ...messages) {
  let answered = 0
  for (const [at, ids] of messages.entries()) {
    const calls = transport.receiveToolCalls(message(ids, `message-${at}`))
    expect(calls.every(({ id }) => typeof id === 'string' && id !== '')).toBe(true)
    const results = await notes.session.executeAll(calls)
    for (const [nth, result] of results.entries()) {
      expect(result.ok).toBe(true)
      transport.sendToolResult({ ...calls[nth], result })
      answered += 1
    }
  }
  return answered
}

describe.each(Object.entries(PROTOCOLS))('%s', (name, open) => {
  const canRepeat = name !== 'realtime'

  test('twins of one message', async () => {
    expect(await exchange(open(), [undefined, undefined])).toBe(canRepeat ? 2 : 1)
    expect(notes.ran).toHaveLength(1)
  })

  test('the same in a later message of the turn, and again in a later turn', async () => {
    const opened = open()
    await notes.session.beginTurn('1')
    expect(await exchange(opened, [undefined], [undefined])).toBe(2)
    expect(notes.ran).toHaveLength(1)
    await notes.session.beginTurn('2')
    await exchange({ ...opened, message: (ids, id) => opened.message(ids, `later-${id}`) }, [undefined])
    expect(notes.ran).toHaveLength(2)
  })
})

test('a framework that sends no ids: equal calls of a turn run once', async () => {
  const call = toolCall.wrapToolCall(notes.session)
  const other = toolCall.wrapToolCall(notes.session)
  const answers = [await call({ name: NAME, args: ARGS }), await call({ id: '', name: NAME, args: ARGS })]
  answers.push(await other({ name: NAME, args: ARGS }))
  expect(answers.every(({ ok }) => ok)).toBe(true)
  expect(notes.ran).toHaveLength(1)
})
