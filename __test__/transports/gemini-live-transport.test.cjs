'use strict'
// Gemini Live's frames: which calls they hold, which of them are one call, and how answers go back.
const { GeminiLiveTransport } = require('./support/gate-view.cjs')
const { ToolTransport } = require('../../js/transports/transport.js')
const { found, needsConfirmation, TOKEN } = require('./support/answers.cjs')
const { HOSTILE, framesOf, nested } = require('./support/hostile-values.cjs')

const ID = 'function-call-5831923424298605773'
const OTHER = 'function-call-1111111111111111111'
const search = (id, args = { query: 'rust' }) => ({ ...(id ? { id } : {}), name: 'kb_search', args })
const inToolCall = (...functionCalls) => ({ toolCall: { functionCalls } })
const inContent = (...functionCalls) => ({
  serverContent: { modelTurn: { parts: functionCalls.map(functionCall => ({ functionCall })) } },
})
const turnComplete = { serverContent: { turnComplete: true } }
/** Made by the transport: unique, and trusted by the gate. */
const OWN_ID = expect.stringMatching(/^temp_\d+$/)

let sent
let transport
beforeEach(() => {
  sent = []
  transport = new GeminiLiveTransport({ sendToolResponse: message => sent.push(JSON.parse(JSON.stringify(message))) })
})
const receiveAll = (...events) => events.flatMap(event => transport.receiveToolCalls(event))

test('is a ToolTransport', () => {
  expect(transport).toBeInstanceOf(ToolTransport)
})

describe('receiveToolCalls', () => {
  test('gives the calls of a toolCall message in their order', () => {
    const second = { id: OTHER, name: 'kb_get', args: { id: 'person:ada_example' } }
    expect(receiveAll(inToolCall(search(ID), second))).toEqual([search(ID), second])
  })

  test('takes missing arguments for none', () => {
    expect(receiveAll(inToolCall({ id: ID, name: 'end_voice_session' }))).toEqual([
      { id: ID, name: 'end_voice_session', args: {} },
    ])
  })

  test.each([
    ['a list', [1], '[1]'],
    ['a number', 7, '7'],
    ['text', '{"query":', '{"query":'],
  ])('passes arguments that are %s on as text, for the gate to refuse', (_what, args, expected) => {
    expect(receiveAll(inToolCall({ id: ID, name: 'kb_search', args }))).toEqual([
      { id: ID, name: 'kb_search', args: expected },
    ])
  })

  test('gives a call once that stands in the content without an id and then in toolCall', () => {
    expect(receiveAll(inContent(search()), inToolCall(search(ID)), turnComplete)).toEqual([search(ID)])
  })

  test('keeps what it holds over content of a turn that goes on', () => {
    const audio = { inlineData: { data: 'AAAA', mimeType: 'audio/pcm;rate=24000' } }
    const content = [
      { serverContent: { modelTurn: { role: 'model', parts: [audio, { text: 'Hello' }] } }, usageMetadata: {} },
      { serverContent: { outputTranscription: { text: 'Hello' } } },
      { serverContent: { inputTranscription: { text: 'Hi' }, interrupted: false } },
    ]
    expect(receiveAll(inContent(search()), ...content)).toEqual([])
    expect(transport.holdsCalls).toBe(true)
    const ending = { serverContent: { modelTurn: { parts: [audio] }, turnComplete: true } }
    expect(receiveAll(ending)).toEqual([{ ...search(), id: OWN_ID }])
  })

  test('knows the twin by its arguments, whatever their order', () => {
    const args = { query: 'rust', filters: { type: 'project', tags: ['audio'] } }
    const turned = { filters: { tags: ['audio'], type: 'project' }, query: 'rust' }
    expect(receiveAll(inContent(search(null, args)), inToolCall(search(ID, turned)), turnComplete)).toEqual([
      search(ID, turned),
    ])
  })

  test('gives a call once that stands in toolCall and then in the content', () => {
    expect(receiveAll(inToolCall(search(ID)), inContent(search()), inContent(search(ID)), turnComplete)).toEqual([
      search(ID),
    ])
  })

  test('gives a call with an id from the content at once, and not again from toolCall', () => {
    expect(receiveAll(inContent(search(ID)))).toEqual([search(ID)])
    expect(receiveAll(inContent(search(ID)), inToolCall(search(ID)), turnComplete)).toEqual([])
  })

  test('gives both of two calls with different ids and equal arguments', () => {
    expect(receiveAll(inToolCall(search(ID), search(OTHER)))).toEqual([search(ID), search(OTHER)])
    expect(receiveAll(inContent(search()))).toEqual([])
  })

  test('gives a toolCall that is sent again: it wants an answer again', () => {
    expect(receiveAll(inToolCall(search(ID)), inToolCall(search(ID)))).toEqual([search(ID), search(ID)])
  })

  test('holds a call without an id until the turn ends, then gives it under an id of its own', () => {
    expect(receiveAll(inContent(search()), inContent(search()))).toEqual([])
    expect(transport.holdsCalls).toBe(true)
    expect(receiveAll(turnComplete)).toEqual([{ ...search(), id: OWN_ID }])
    expect(transport.holdsCalls).toBe(false)
    expect(receiveAll(turnComplete)).toEqual([])
  })

  test('gives a held call that is not in the toolCall message after the calls that are', () => {
    const held = search(null, { query: 'audio' })
    expect(receiveAll(inContent(held), inToolCall(search(ID)))).toEqual([search(ID), { ...held, id: OWN_ID }])
  })

  test('gives held calls when the host has waited long enough, and their toolCall does not run them again', () => {
    receiveAll(inContent(search()))
    const [call] = transport.releaseHeldCalls()
    expect(call).toEqual({ ...search(), id: OWN_ID })
    expect(receiveAll(inToolCall(search(ID)))).toEqual([])
    transport.sendToolResult({ ...call, result: found() })
    expect(sent[0].toolResponse ?? sent[0]).toMatchObject({ functionResponses: [{ id: ID, name: 'kb_search' }] })
  })

  test('runs an id-less call that was answered already under the same id when its twin arrives, so that the gate replays', () => {
    const [call] = receiveAll(inContent(search()), { serverContent: { generationComplete: true } })
    transport.sendToolResult({ ...call, result: found() })
    expect(receiveAll(inToolCall(search(ID)))).toEqual([{ ...search(), id: call.id }])
    transport.sendToolResult({ ...call, result: found() })
    expect(sent.map(({ functionResponses }) => functionResponses[0].id)).toEqual([undefined, ID])
  })

  test('drops held calls on a barge-in', () => {
    expect(receiveAll(inContent(search()), { serverContent: { interrupted: true } })).toEqual([])
    expect(transport.problem).toBe('`kb_search` not run: the turn was interrupted')
    expect(receiveAll(turnComplete)).toEqual([])
  })

  test('knows no twins across turns', () => {
    const calls = receiveAll(inToolCall(search(ID)), turnComplete, inContent(search()), turnComplete)
    expect(calls).toEqual([search(ID), { ...search(), id: OWN_ID }])
  })

  test('gives two id-less calls of one toolCall with equal arguments under ids of their own', () => {
    const [first, second] = receiveAll(inToolCall(search(), search()))
    expect([first.id, second.id]).toEqual([OWN_ID, OWN_ID])
    expect(first.id).not.toBe(second.id)
  })

  test('gives no calls for malformed frames, and never throws', () => {
    const frames = framesOf([
      value => value,
      toolCall => ({ toolCall }),
      functionCalls => ({ toolCall: { functionCalls } }),
      name => inToolCall({ id: ID, name: name === 'text' || name === '\ud800' ? null : name }),
      serverContent => ({ serverContent }),
      modelTurn => ({ serverContent: { modelTurn } }),
      parts => ({ serverContent: { modelTurn: { parts } } }),
      functionCall => ({ serverContent: { modelTurn: { parts: [{ functionCall }] } } }),
    ])
    expect(frames.flatMap(frame => transport.receiveToolCalls(frame))).toEqual([])
  })

  // What is nested too deeply can't be compared.
  test.each(HOSTILE.slice(0, -1).map(value => [value]))('takes a call whatever its arguments are', args => {
    expect(
      receiveAll(inContent({ name: 'kb_search', args }), inToolCall({ id: ID, name: 'kb_search', args })),
    ).toHaveLength(1)
  })

  test('keeps calls apart that are nested too deeply to compare', () => {
    const args = { query: nested(20_000) }
    expect(receiveAll(inContent(search(null, args)), inToolCall(search(ID, args)))).toHaveLength(2)
  })

  test('takes an id that is no text for none', () => {
    expect(receiveAll(inToolCall({ id: 7, name: 'kb_search', args: {} }))).toEqual([
      { id: OWN_ID, name: 'kb_search', args: {} },
    ])
  })
})

describe('a frame as it came from the socket', () => {
  const forms = [
    ['text', frame => JSON.stringify(frame)],
    ['bytes', frame => Buffer.from(JSON.stringify(frame))],
  ]

  test.each(forms)('(%s) gives its calls, and is answered like any other', (_what, form) => {
    const args = { query: 'rust' }
    expect(receiveAll(form(inContent(search())), form(inToolCall(search(ID))), form(turnComplete))).toEqual([
      search(ID, args),
    ])
    const cancelled = form({ toolCallCancellation: { ids: [ID] } })
    expect(transport.receiveToolCalls(cancelled)).toEqual([])
    expect(transport.receiveCancellations(cancelled)).toEqual([ID])
    expect(transport.sendToolResult({ id: ID, name: 'kb_search', result: found() })).toEqual([])
    expect(transport.problem).toMatch(/the answer to `kb_search` is not sent: the call was cancelled/)
  })

  test('is one call with the same frame as an object', () => {
    expect(receiveAll(inContent(search()), JSON.stringify(inToolCall(search(ID))), turnComplete)).toHaveLength(1)
  })

  test.each([
    ['cut', JSON.stringify(inToolCall(search(ID))).slice(0, -4), /can't be read/],
    ['no JSON', Buffer.from('hello'), /can't be read/],
    ['a list', '[]', /must be a JSON object/],
    ['absurdly nested', '['.repeat(100_000), /can't be read/],
    ['a call without a name', inToolCall({ id: ID, args: {} }), /a call without a name not run/],
  ])('that is %s gives no calls and a problem, and the next one is read', (_what, frame, problem) => {
    expect(receiveAll(frame)).toEqual([])
    expect(transport.problem).toMatch(problem)
    expect(receiveAll(inToolCall(search(ID)))).toEqual([search(ID)])
    expect(transport.problem).toBeNull()
  })

  test('cannot make us hold calls without bound', () => {
    const many = Array.from({ length: 129 }, (_, at) => search(null, { query: `${at}` }))
    expect(receiveAll(inContent(...many))).toEqual([])
    expect(transport.problem).toMatch(/more than 128/)
    expect(receiveAll(turnComplete)).toHaveLength(128)
  })
})

describe('receiveCancellations', () => {
  const cancel = (...ids) => ({ toolCallCancellation: { ids } })

  test('gives the cancelled ids, which are then never answered', () => {
    receiveAll(inToolCall(search(ID), search(OTHER)))
    expect(transport.receiveCancellations(cancel(ID))).toEqual([ID])
    transport.sendToolResults([ID, OTHER].map(id => ({ id, name: 'kb_search', result: found() })))
    expect(sent[0].functionResponses.map(({ id }) => id)).toEqual([OTHER])
  })

  test('sends nothing where all of a message was cancelled', () => {
    receiveAll(inToolCall(search(ID)))
    transport.receiveCancellations(cancel(ID))
    expect(transport.sendToolResult({ id: ID, name: 'kb_search', result: found() })).toEqual([])
    expect(sent).toEqual([])
  })

  test('never answers a call whose cancellation came first, and answers the same call if it is made again', () => {
    expect(transport.receiveCancellations(cancel(ID))).toEqual([ID])
    receiveAll(inToolCall(search(ID)))
    expect(transport.sendToolResult({ id: ID, name: 'kb_search', result: found() })).toEqual([])
    expect(sent).toEqual([])
    receiveAll(inToolCall(search(ID)))
    transport.sendToolResult({ id: ID, name: 'kb_search', result: found() })
    expect(sent).toHaveLength(1)
  })

  test('answers a cancelled id that is asked for again', () => {
    receiveAll(inToolCall(search(ID)))
    transport.receiveCancellations(cancel(ID))
    receiveAll(inToolCall(search(ID)))
    transport.sendToolResult({ id: ID, name: 'kb_search', result: found() })
    expect(sent).toHaveLength(1)
  })

  test('finds the call that got its id late', () => {
    receiveAll(inContent(search()))
    const [call] = transport.releaseHeldCalls()
    receiveAll(inToolCall(search(ID)))
    expect(transport.receiveCancellations(cancel(ID))).toEqual([call.id])
    expect(transport.sendToolResult({ ...call, result: found() })).toEqual([])
  })

  test('gives none for malformed frames, and never throws', () => {
    const frames = framesOf([
      value => value,
      value => ({ toolCallCancellation: value }),
      ids => ({ toolCallCancellation: { ids } }),
    ])
    const ids = frames.flatMap(frame => transport.receiveCancellations(frame))
    expect(ids.filter(id => id !== 'x')).toEqual([])
  })
})

describe('sendToolResult', () => {
  test('answers with the full ToolResponse as an object', () => {
    const result = found({ results: [{ id: 'project:a' }] })
    receiveAll(inToolCall(search(ID)))
    transport.sendToolResult({ id: ID, name: 'kb_search', result })
    expect(sent).toEqual([{ functionResponses: [{ id: ID, name: 'kb_search', response: result }] }])
  })

  test('leaves out the confirmation token, and nothing else', () => {
    const result = needsConfirmation()
    receiveAll(inToolCall({ ...search(ID), name: 'calendar_create_event' }))
    transport.sendToolResult({ id: ID, name: 'calendar_create_event', result })
    const [{ response }] = sent[0].functionResponses
    const { token, ...request } = needsConfirmation().error.confirmation_request
    expect(JSON.stringify(sent)).not.toContain(token)
    expect(response).toEqual({ ...result, error: { ...result.error, confirmation_request: request } })
    expect(result.error.confirmation_request.token).toBe(TOKEN)
  })

  test('answers the calls of one message in one message', () => {
    const answers = [ID, OTHER].map(id => ({ id, name: 'kb_search', result: found() }))
    receiveAll(inToolCall(search(ID), search(OTHER)))
    transport.sendToolResults(answers)
    expect(sent).toHaveLength(1)
    expect(sent[0].functionResponses.map(({ id }) => id)).toEqual([ID, OTHER])
  })

  test('answers a call without an id without one, in the form that the SDK takes', () => {
    const messages = []
    const raw = new GeminiLiveTransport({ sendToolResponse: message => messages.push(message) })
    const [call] = raw.receiveToolCalls(inToolCall(search()))
    raw.sendToolResult({ ...call, result: found() })
    const [answer] = messages[0].functionResponses
    expect('id' in answer).toBe(true)
    expect(JSON.parse(JSON.stringify(answer))).toEqual({ name: 'kb_search', response: found() })
  })

  test('leaves the member out where the surface does not ask for it', () => {
    const messages = []
    const vertex = new GeminiLiveTransport(
      { sendToolResponse: message => messages.push(message) },
      { surface: 'vertex' },
    )
    const [call] = vertex.receiveToolCalls(inToolCall(search()))
    vertex.sendToolResult({ ...call, result: found() })
    expect(Object.keys(messages[0].functionResponses[0])).toEqual(['name', 'response'])
  })

  test.each([
    ['gemini-2.5-flash-native-audio-preview-12-2025', { scheduling: 'WHEN_IDLE' }],
    ['models/gemini-live-2.5-flash-native-audio', { scheduling: 'WHEN_IDLE' }],
    ['gemini-3.8-live', { scheduling: 'WHEN_IDLE' }],
    ['gemini-3.1-flash-live-preview', {}],
    ['some-model-of-tomorrow', {}],
  ])('puts scheduling beside the response where %s takes it', (model, expected) => {
    const messages = []
    const withModel = new GeminiLiveTransport({ sendToolResponse: message => messages.push(message) }, { model })
    withModel.receiveToolCalls(inToolCall(search(ID)))
    withModel.sendToolResult({ id: ID, name: 'kb_search', result: found(), scheduling: 'WHEN_IDLE' })
    expect(messages[0].functionResponses).toEqual([{ id: ID, name: 'kb_search', response: found(), ...expected }])
  })

  test.each([[undefined], [null], ['{"ok":true}'], [{ results: [] }]])('throws for what is no ToolResponse', result => {
    expect(() => transport.sendToolResult({ id: ID, name: 'kb_search', result })).toThrow(
      /`result` must be a ToolResponse/,
    )
  })
})

test('an unknown surface is a mistake of the host', () => {
  expect(() => new GeminiLiveTransport({}, { surface: 'moon' })).toThrow(/`developer` or `vertex`/)
})

describe('a base class that a subclass forgot to fill', () => {
  class Silent extends ToolTransport {}
  test('says which method is missing', () => {
    expect(() => new Silent().receiveToolCalls({})).toThrow(/`Silent`.*receiveToolCalls/)
    expect(() => new Silent().sendToolResult({})).toThrow(/`Silent`.*sendToolResult/)
    expect(new Silent().receiveCancellations({})).toEqual([])
  })

  test('answers one after another where a protocol cannot do it together', () => {
    class Single extends ToolTransport {
      sendToolResult({ id }) {
        return id
      }
    }
    expect(new Single().sendToolResults([{ id: 'a' }, { id: 'b' }])).toEqual(['a', 'b'])
  })
})

test('a transport that is made before its session sends its answers once it has it', () => {
  const early = new GeminiLiveTransport(null, { meta: 'lean' })
  const answerOf = id => {
    const [call] = early.receiveToolCalls({ toolCall: { functionCalls: [{ id, name: 'kb_search', args: {} }] } })
    return { id: call.id, name: call.name, result: { ok: true, data: id, intents: [] } }
  }
  expect(early.sendToolResults([answerOf('first'), answerOf('second'), answerOf('gone')])).toEqual([])
  early.receiveToolCalls({ toolCallCancellation: { ids: ['gone'] } })
  const messages = []
  const live = { sendToolResponse: message => messages.push(message) }
  early.attach(live)
  const answered = messages.map(({ functionResponses }) =>
    functionResponses.map(({ id, response }) => [id, response.data]),
  )
  expect(answered).toEqual([
    [
      ['first', 'first'],
      ['second', 'second'],
    ],
  ])
  const [later] = early.sendToolResult(answerOf('third'))
  expect(messages.slice(1)).toEqual([{ functionResponses: [later] }])
  expect(() => early.attach(live)).toThrow('the transport has its session')
})

test('what is no Live session is refused, and so are endless answers without one', () => {
  const early = new GeminiLiveTransport()
  for (const wrong of [undefined, null, {}, { sendToolResponse: 1 }])
    expect(() => early.attach(wrong)).toThrow(TypeError)
  const ids = Array.from({ length: 1001 }, (_, n) => `call_${n}`)
  const functionCalls = ids.map(id => ({ id, name: 'kb_search', args: {} }))
  const answers = early
    .receiveToolCalls({ toolCall: { functionCalls } })
    .map(({ id, name }) => ({ id, name, result: { ok: true, data: 1, intents: [] } }))
  early.sendToolResults(answers.slice(0, 1000))
  const last = answers.slice(1000)
  expect(() => early.sendToolResults(last)).toThrow('1000 answers wait for the session: call `attach`')
  const sent = []
  early.attach({ sendToolResponse: ({ functionResponses }) => sent.push(functionResponses.length) })
  expect([early.sendToolResults(last).length, sent]).toEqual([1, [1000, 1]])
  expect(() => new GeminiLiveTransport({}).attach({ sendToolResponse: () => {} })).toThrow('has its session')
})
