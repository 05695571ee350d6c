// The tools of a session in LangChain and LangGraph: their own agents and graphs, over a scripted model.
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import {
  Annotation,
  Command,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
  interrupt,
} from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { createAgent } from 'langchain'
import adapter from '../../js/adapters/langchain.js'
import { open } from '../support/counted-tools.mjs'
import { openNotes } from './note-tools.mjs'

const { toLangChainTools } = adapter

let notes
afterEach(async () => {
  await notes?.close()
  notes = undefined
})

const call = (id, name, args) => ({ id, name, args, type: 'tool_call' })

/** A chat model that answers with these messages, one a request. */
class ScriptedModel extends FakeListChatModel {
  rounds
  requests = []
  constructor(rounds) {
    super({ responses: [''] })
    this.rounds = rounds
  }
  bindTools(tools) {
    this.bound = tools
    return this
  }
  async _generate(messages) {
    const round = this.rounds[this.requests.length]
    this.requests.push(messages)
    const message = typeof round === 'string' ? new AIMessage(round) : new AIMessage({ content: '', tool_calls: round })
    return { generations: [{ text: '', message }] }
  }
}

const answers = messages => messages.filter(one => one.getType() === 'tool').map(({ content }) => JSON.parse(content))
const replyTo = ({ callId, nonce }, approved) => ({ callId, nonce, approved })
const user = { messages: [new HumanMessage('go')] }

test('an agent calls through the gate, and gets answers that it can correct', async () => {
  notes = await openNotes()
  const model = new ScriptedModel([
    [call('call_find_0001', 'find_note', { query: 'roof' }), call('call_find_0002', 'find_note', { query: {} })],
    'done',
  ])
  const agent = createAgent({ model, tools: toLangChainTools(notes.session) })
  const { messages } = await agent.invoke(user)
  expect(answers(messages)).toMatchObject([
    { ok: true, data: { echo: { query: 'roof', limit: 2 } } },
    { ok: false, error: { type: 'VALIDATION' } },
  ])
  const results = messages.filter(one => one.getType() === 'tool')
  expect(results.map(({ status, artifact }) => [status, artifact.ok])).toEqual([
    ['success', true],
    ['error', false],
  ])
  expect(notes.ran).toEqual([{ toolId: 'find_note', args: { query: 'roof', limit: 2 } }])
  expect(model.bound.map(({ name, schema }) => [name, schema.type])).toEqual([
    ['find_note', 'object'],
    ['send_note', 'object'],
    ['wait_for_note', 'object'],
  ])
})

/** An agent that asks by interrupts, and its thread. */
function asking(rounds) {
  const model = new ScriptedModel(rounds)
  const tools = toLangChainTools(notes.session, { interrupt })
  const agent = createAgent({ model, tools, checkpointer: new MemorySaver() })
  return { agent, thread: { configurable: { thread_id: crypto.randomUUID() } } }
}

test.each([
  ['an approval runs the call that was shown', true, { ok: true, data: { echo: { to: 'Ada' } } }, ['Ada']],
  [
    'a refusal runs nothing',
    false,
    { ok: false, error: { type: 'CANCELLED', message: '`send_note` was declined: nothing was done' } },
    [],
  ],
])('%s', async (_, approved, answer, sentTo) => {
  notes = await openNotes()
  const { agent, thread } = asking([[call('call_send_0001', 'send_note', { to: 'Ada' })], 'done'])
  const { __interrupt__: interrupts } = await agent.invoke(user, thread)
  const [{ value }] = interrupts
  expect(value).toMatchObject({ type: 'toolgate_confirmation', callId: 'call_send_0001', name: 'send_note' })
  expect(value.request.token).toBeUndefined()
  expect(notes.ran).toEqual([])
  const { messages } = await agent.invoke(new Command({ resume: replyTo(value, approved) }), thread)
  expect(answers(messages)).toMatchObject([answer])
  expect(notes.ran.map(({ args }) => args.to)).toEqual(sentTo)
})

test('an approval with `args` runs what the user changed, and the model hears of it', async () => {
  notes = await openNotes()
  const { agent, thread } = asking([[call('call_send_0001', 'send_note', { to: 'Ada' })], 'done'])
  const { __interrupt__: interrupts } = await agent.invoke(user, thread)
  const resume = { ...replyTo(interrupts[0].value, true), args: { to: 'Bob' } }
  const { messages } = await agent.invoke(new Command({ resume }), thread)
  expect(answers(messages)).toMatchObject([
    { ok: true, data: { echo: { to: 'Bob' } }, meta: { edited: [{ path: '/to', value: 'Bob' }] } },
  ])
  expect(notes.ran.map(({ args }) => args.to)).toEqual(['Bob'])
})

test.each([
  ['a text', '{"to":"Bob"}'],
  ['a list', [{ to: 'Bob' }]],
  ['a number', 7],
  ['an argument that the tool has not', { to: 'Bob', cc: 'Eve' }],
  ['nothing that is required', {}],
])('`args` that are %s run nothing, and the confirmation stays pending', async (_, args) => {
  notes = await openNotes()
  const { agent, thread } = asking([[call('call_send_0001', 'send_note', { to: 'Ada' })], 'done'])
  const { __interrupt__: interrupts } = await agent.invoke(user, thread)
  const resume = { ...replyTo(interrupts[0].value, true), args }
  const { messages } = await agent.invoke(new Command({ resume }), thread)
  expect(answers(messages)).toMatchObject([{ ok: false, error: { type: 'VALIDATION' } }])
  expect(notes.ran).toEqual([])
  expect((await notes.session.listPending()).map(one => one.args.to)).toEqual(['Ada'])
})

test('a node that LangGraph repeats runs nothing twice, and a reply reaches only its own call', async () => {
  notes = await openNotes()
  const calls = [
    call('call_find_0001', 'find_note', { query: 'roof' }),
    call('call_send_0001', 'send_note', { to: 'Ada' }),
    call('call_send_0002', 'send_note', { to: 'Eve' }),
  ]
  const tools = new ToolNode(toLangChainTools(notes.session, { interrupt }))
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('tools', tools)
    .addEdge(START, 'tools')
    .compile({ checkpointer: new MemorySaver() })
  const thread = { configurable: { thread_id: 'one' } }
  let result = await graph.invoke({ messages: [new AIMessage({ content: '', tool_calls: calls })] }, thread)
  // All calls of this node are made again for each reply.
  for (let shown = 0; shown < 2; shown += 1) {
    const [{ value }] = result.__interrupt__
    result = await graph.invoke(new Command({ resume: replyTo(value, true) }), thread)
  }
  const sent = notes.ran.filter(({ toolId }) => toolId === 'send_note').map(({ args }) => args.to)
  expect(notes.ran.filter(({ toolId }) => toolId === 'find_note')).toHaveLength(1)
  expect(new Set(sent).size).toBe(sent.length)
  expect(answers(result.messages).map(({ ok, data, error }) => (ok ? data.echo : error.type))).toEqual([
    { query: 'roof', limit: 2 },
    { to: 'Ada' },
    { to: 'Eve' },
  ])
})

test.each([
  ['long ids', n => `call_send_000${n}`, []],
  ['ids that come again', n => `call_${n}`, []],
  ['one that the user declines', n => `call_send_000${n}`, [3]],
])('eight calls of one node are answered one after another, with %s', async (_which, idOf, declined) => {
  notes = await openNotes()
  const places = Array.from({ length: 8 }, (_, n) => n + 1)
  const calls = [
    call(idOf(0), 'find_note', { query: 'roof' }),
    ...places.map(n => call(idOf(n), 'send_note', { to: `Person ${n}` })),
  ]
  const graph = () =>
    new StateGraph(MessagesAnnotation)
      .addNode('tools', new ToolNode(toLangChainTools(notes.session, { interrupt })))
      .addEdge(START, 'tools')
      .compile({ checkpointer })
  const checkpointer = new MemorySaver()
  const thread = { configurable: { thread_id: 'eight' } }
  let result = await graph().invoke({ messages: [new AIMessage({ content: '', tool_calls: calls })] }, thread)
  const shown = []
  while (result.__interrupt__?.length > 0 && shown.length < 20) {
    const [{ value }] = result.__interrupt__
    const { callId } = value
    shown.push(callId)
    const approved = !declined.some(n => idOf(n) === callId)
    // Each reply comes with a request of its own, with tools of its own.
    result = await graph().invoke(new Command({ resume: replyTo(value, approved) }), thread)
  }
  expect(shown).toEqual(places.map(idOf))
  const sent = places.filter(n => !declined.includes(n)).map(n => `Person ${n}`)
  expect(notes.ran.filter(({ toolId }) => toolId === 'send_note').map(({ args }) => args.to)).toEqual(sent)
  expect(notes.ran).toHaveLength(sent.length + 1)
  const [found, ...answered] = answers(result.messages)
  expect(found.ok).toBe(true)
  expect(answered.map(({ ok }) => ok)).toEqual(places.map(n => !declined.includes(n)))
})

test.each([
  ['no id, and reads again', (_name, args) => args, 2],
  ['an id that repeats', (name, args) => call('call_0', name, args), 1],
])('a node that is repeated in a later turn writes once by a call with %s', async (_which, inputOf, reads) => {
  const { session: attach, runs } = await open()
  const session = await attach()
  await session.beginTurn()
  const tools = Object.fromEntries(toLangChainTools(session).map(tool => [tool.name, tool]))
  const node = async (_state, config) => {
    for (const name of ['make', 'look']) await tools[name].invoke(inputOf(name, { n: 1 }), config)
    return { done: interrupt('sure?') }
  }
  const graph = new StateGraph(Annotation.Root({ done: Annotation() }))
    .addNode('own', node)
    .addEdge(START, 'own')
    .compile({ checkpointer: new MemorySaver() })
  const thread = { configurable: { thread_id: 'own' } }
  for (let count = 1; count <= 2; count += 1) {
    await graph.invoke({ done: '' }, thread)
    // As after a pause, in which the user reads the question.
    await session.beginTurn()
    const { done } = await graph.invoke(new Command({ resume: 'yes' }), thread)
    expect([done, runs.filter(([name]) => name === 'make').length]).toEqual(['yes', count])
    expect(runs.filter(([name]) => name === 'look')).toHaveLength(reads * count)
    await session.beginTurn()
  }
})

test('a whole graph that is run again with the same ids runs nothing again', async () => {
  notes = await openNotes()
  const tools = new ToolNode(toLangChainTools(notes.session))
  const message = new AIMessage({ content: '', tool_calls: [call('call_find_0001', 'find_note', { query: 'roof' })] })
  const first = await tools.invoke({ messages: [message] })
  const second = await tools.invoke({ messages: [message] })
  expect(answers(second.messages)[0]).toMatchObject({
    data: answers(first.messages)[0].data,
    meta: { _idempotent_cache_hit: true },
  })
  expect(notes.ran).toHaveLength(1)
})

test('an aborted run cancels its calls, and a call without consent is answered', async () => {
  const controller = new AbortController()
  let reason
  notes = await openNotes({
    wait_for_note: ({ signal }) => {
      setImmediate(() => controller.abort())
      return new Promise(resolve =>
        signal.addEventListener('abort', () => {
          reason = signal.reason.name
          resolve({ ok: true })
        }),
      )
    },
  })
  const [find, send, wait] = toLangChainTools(notes.session)
  await wait.invoke(call('call_wait_0001', 'wait_for_note', {}), { signal: controller.signal })
  expect(reason).toBe('AbortError')
  const { artifact } = await send.invoke(call('call_send_0001', 'send_note', { to: 'Ada' }))
  expect(artifact.error.type).toBe('CONFIRMATION_REQUIRED')
  expect(JSON.parse(await find.invoke({ query: 'no call' }))).toMatchObject({ ok: true })
})
