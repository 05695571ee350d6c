'use strict'
// A Gemini Live session that is resumed while calls run: their results arrive, and a call that the service makes again is the one
// that runs.
const { GeminiLiveTransport } = require('../../js/transports/gemini-live-transport.js')
const { found } = require('./support/answers.cjs')

const ID = 'function-call-5831923424298605773'
const OTHER = 'function-call-1111111111111111111'
const toolCall = (...functionCalls) => ({ toolCall: { functionCalls } })
const search = (id, args = { query: 'rust' }) => ({ ...(id ? { id } : {}), name: 'kb_search', args })
const turnComplete = { serverContent: { turnComplete: true } }

/** A session that records what is sent. */
function session() {
  const sent = []
  return {
    sent,
    sendToolResponse: ({ functionResponses }) => sent.push(...functionResponses.map(({ id }) => ['response', id])),
    sendClientContent: ({ turns, turnComplete: isOver }) =>
      sent.push(...turns.flatMap(({ parts }) => parts.map(({ text }) => ['content', text, isOver]))),
    sendRealtimeInput: ({ text }) => sent.push(['input', text]),
  }
}

let transport
let first
let second
beforeEach(() => {
  first = session()
  second = session()
  transport = new GeminiLiveTransport(first, { model: 'gemini-live-2.5-flash' })
})
const receive = (...calls) => transport.receiveToolCalls(toolCall(...calls))
const answer = call => transport.sendToolResult({ ...call, result: found() })
const asText = name => expect.stringMatching(new RegExp(`^The result of the tool call \`${name}\`.*"ok":true`))

test('the service forgets its calls: their results are sent as text, once, also those that came without a connection', () => {
  const [early, late] = receive(search(ID), search(OTHER, { query: 'go' }))
  transport.detach()
  expect(answer(early)).toEqual([])
  transport.resume(second)
  expect(second.sent).toEqual([['content', asText('kb_search'), true]])
  expect(answer(late)).toEqual([{ text: asText('kb_search') }])
  expect(answer(late)).toEqual([])
  expect([first.sent, second.sent.length]).toEqual([[], 2])
})

test('a model that takes text as input gets it so', () => {
  transport = new GeminiLiveTransport(first, { model: 'gemini-3.1-flash-live-preview' })
  const [call] = receive(search(ID))
  transport.detach()
  transport.resume(second)
  answer(call)
  expect(second.sent).toEqual([['input', asText('kb_search')]])
})

test.each([
  ['its own id', ID],
  ['another id', OTHER],
  ['no id', undefined],
])('the service makes a running call again under %s: it is the call that runs, answered under that id', (_what, id) => {
  const [call] = receive(search(ID))
  transport.detach()
  transport.resume(second)
  const again = receive(search(id))
  expect(again).toEqual([call])
  answer(call)
  expect(answer(call)).toEqual([])
  expect(second.sent).toEqual([['response', id ?? ID]])
})

test('a call that was answered as text before it is made again is answered again, from its record', () => {
  const [call] = receive(search(ID))
  transport.detach()
  transport.resume(second)
  answer(call)
  expect(receive(search(OTHER))).toEqual([call])
  answer(call)
  expect(second.sent.map(([kind]) => kind)).toEqual(['content', 'response'])
})

test('each running call is made again once, and an equal call of a later turn is another one', () => {
  const [call] = receive(search(ID))
  transport.detach()
  transport.resume(second)
  const calls = receive(search(OTHER), search('function-call-2222222222222222222'))
  expect(calls.map(({ id }) => id)).toEqual([call.id, 'function-call-2222222222222222222'])
  transport.receiveToolCalls(turnComplete)
  expect(receive(search('function-call-3333333333333333333'))[0].id).toBe('function-call-3333333333333333333')
})

const words = { serverContent: { modelTurn: { parts: [{ text: 'I found' }] } } }
const usage = {
  usageMetadata: { totalTokenCount: 7 },
  sessionResumptionUpdate: { newHandle: 'handle', resumable: true },
}

test('an answered call is not made again once the model went on: an equal one is another call', () => {
  const [call] = receive(search(ID))
  answer(call)
  transport.receiveToolCalls(words)
  transport.detach()
  transport.resume(second)
  expect(receive(search(OTHER))[0].id).toBe(OTHER)
})

test.each([
  ['one', 1],
  ['three', 3],
])(
  'an answer that the service may not have got: the call that it makes again is the answered one, after %s resumptions',
  (_how, times) => {
    const [call] = receive(search(ID))
    answer(call)
    transport.receiveToolCalls(usage)
    for (let count = 0; count < times; count += 1) {
      transport.detach()
      transport.resume(second)
      transport.receiveToolCalls(usage)
    }
    expect(receive(search(OTHER))).toEqual([call])
    answer(call)
    expect(receive(search('function-call-2222222222222222222'))[0].id).toBe('function-call-2222222222222222222')
    expect(second.sent).toEqual([['response', OTHER]])
  },
)

test('a call that is made again after each of three resumptions runs once', () => {
  const [call] = receive(search(ID))
  const ids = [1, 2, 3].map(count => `function-call-${count}0000000000000000`)
  for (const [at, id] of ids.entries()) {
    transport.detach()
    transport.resume(second)
    expect(receive(search(id))).toEqual([call])
    // The second answer is lost with its connection.
    if (at === 1) answer(call)
  }
  answer(call)
  expect(second.sent).toEqual([
    ['response', ids[1]],
    ['response', ids[2]],
  ])
})

test('what is held for its id is dropped with its connection', () => {
  transport.receiveToolCalls({ serverContent: { modelTurn: { parts: [{ functionCall: search() }] } } })
  expect(transport.holdsCalls).toBe(true)
  transport.detach()
  transport.resume(second)
  expect([transport.holdsCalls, transport.receiveToolCalls(turnComplete)]).toEqual([false, []])
  expect(transport.problem).toContain('`kb_search`')
  transport.receiveToolCalls(turnComplete)
  expect(transport.problem).toBeNull()
})

test('a call that was cancelled is never answered, whatever the connection', () => {
  const [call] = receive(search(ID))
  transport.receiveCancellations({ toolCallCancellation: { ids: [ID] } })
  transport.detach()
  transport.resume(second)
  expect([answer(call), second.sent]).toEqual([[], []])
})

test('a session is needed that takes the form of the results', () => {
  for (const wrong of [undefined, null, {}, { sendToolResponse() {} }, { sendClientContent() {} }])
    expect(() => transport.resume(wrong)).toThrow(TypeError)
})
