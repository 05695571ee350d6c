// Turns of hosts that never call `beginTurn`: each adapter begins one for a new message of the user, or a new run.
import { Agent, Runner, Usage, setTracingDisabled } from '@openai/agents'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { generateText, stepCountIs } from 'ai'
import aiSdk from '../../js/adapters/ai-sdk.js'
import langchain from '../../js/adapters/langchain.js'
import agents from '../../js/adapters/openai-agents.js'
import toolCalls from '../../js/adapters/tool-call.js'
import { openNotes } from './note-tools.mjs'
import { scriptedModel } from './scripted-provider.mjs'

setTracingDisabled(true)

let notes
let made = 0
beforeEach(async () => {
  notes = await openNotes()
})
afterEach(() => notes.close())

const newId = () => `call_find_${String((made += 1)).padStart(6, '0')}`
const turnOf = answer => (answer.ok ? answer.meta.turn : answer.error.type)

describe('the AI SDK', () => {
  const user = (content, more) => ({ role: 'user', content, ...more })
  const answered = { role: 'assistant', content: [] }

  /** The turn of one call with these messages, or the type of its error. */
  const look = async (messages, session = notes.session) => {
    const { find_note: tool } = aiSdk.toAiSdkTools(session)
    return turnOf(await tool.execute({ query: String(made) }, { toolCallId: newId(), messages }))
  }

  test('a new message begins a turn, and the turn of a message has its budget', async () => {
    const turns = []
    for (let message = 1; message <= 12; message += 1) turns.push(await look([user(`question ${message}`)]))
    expect(turns).toEqual(Array.from({ length: 12 }, (_, at) => at + 1))
    const same = []
    for (let step = 0; step < 6; step += 1) same.push(await look([user('once more')]))
    expect(same).toEqual([...Array(5).fill(13), 'BUDGET_EXCEEDED'])
  })

  test('the steps of a message share a turn, also in the next request', async () => {
    const asked = [user('a'), answered, user('b')]
    const other = await notes.registry.createSession({ sessionId: notes.session.sessionId, mode: 'text' })
    expect(await look(asked)).toBe(1)
    expect(await look([...asked, answered])).toBe(1)
    expect(await look([...asked, answered, { role: 'tool', content: [] }], other)).toBe(1)
    expect(await look([...asked, answered, user('b')])).toBe(2)
    expect(await look([user('a', { id: 'm1' })])).toBe(3)
    expect(await look([user('a', { id: 'm2' })])).toBe(4)
    expect(await look([user('x'), user('edited', { id: 'm1' })])).toBe(3)
  })

  test('lists without a message of the user are told apart', async () => {
    const empty = []
    expect([await look(empty), await look(empty), await look([])]).toEqual([1, 1, 2])
  })

  test('messages of pictures are read without their data', async () => {
    const picture = { type: 'image', image: new Uint8Array(3) }
    expect(await look([user([picture, { type: 'text', text: 'this?' }])])).toBe(1)
    expect(await look([user([picture, { type: 'text', text: 'and this?' }])])).toBe(2)
    expect(await look([user([picture, null]), null, 7])).toBe(3)
  })

  test('a host that begins turns stays in charge', async () => {
    await notes.session.beginTurn('mine')
    expect([await look([user('a')]), await look([user('b')])]).toEqual([1, 1])
  })

  test('a conversation of the real SDK', async () => {
    const messages = []
    const turns = []
    for (let message = 1; message <= 7; message += 1) {
      messages.push({ role: 'user', content: 'go on' })
      const call = { id: newId(), name: 'find_note', args: JSON.stringify({ query: `q${message}` }) }
      const { model } = scriptedModel([[call], 'done'])
      const tools = aiSdk.toAiSdkTools(notes.session)
      const { steps, response } = await generateText({ model, messages, tools, stopWhen: stepCountIs(2) })
      turns.push(turnOf(steps[0].toolResults[0].output))
      messages.push(...response.messages)
    }
    expect(turns).toEqual([1, 2, 3, 4, 5, 6, 7])
  })
})

test('OpenAI Agents: a run is a turn', async () => {
  const seen = []
  const onToolResponse = answer => seen.push(turnOf(answer))
  const tools = agents.toAgentTools(notes.session, { onToolResponse })
  const call = () => ({
    type: 'function_call',
    callId: newId(),
    name: 'find_note',
    arguments: `{"query":"q${made}"}`,
    status: 'completed',
  })
  const done = {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'x' }],
  }
  for (let run = 1; run <= 7; run += 1) {
    const rounds = [[call(), call()], [call()], [done]]
    const model = { getResponse: async () => ({ usage: new Usage(), output: rounds.shift(), responseId: 'r' }) }
    await new Runner().run(new Agent({ name: 'notes', model, tools }), 'go')
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7].flatMap(turn => [turn, turn, turn]))
})

test("LangGraph: the user's message of a run is a turn", async () => {
  const seen = []
  const tools = langchain.toLangChainTools(notes.session, { onToolResponse: answer => seen.push(turnOf(answer)) })
  const call = () => ({ id: newId(), name: 'find_note', args: { query: `q${made}` }, type: 'tool_call' })
  const rounds = []
  const model = async () => ({ messages: [rounds.shift()] })
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', model)
    .addNode('tools', new ToolNode(tools))
    .addEdge('__start__', 'model')
    .addConditionalEdges('model', ({ messages }) => (messages.at(-1).tool_calls?.length ? 'tools' : '__end__'))
    .addEdge('tools', 'model')
    .compile()
  for (let run = 1; run <= 7; run += 1) {
    const ask = () => new AIMessage({ content: '', tool_calls: [call()] })
    rounds.push(ask(), ask(), new AIMessage('done'))
    await graph.invoke({ messages: [new HumanMessage('go')] })
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7].flatMap(turn => [turn, turn]))
})

test('wrapToolCall: by the message that a framework names, else by a pause', async () => {
  const { sessionId } = notes.session
  const call = toolCalls.wrapToolCall(notes.session, { meta: 'full' })
  const look = async message =>
    turnOf(await call({ id: newId(), name: 'find_note', args: { query: `q${made}` }, message }))
  expect([await look({ id: 'm1' }), await look({ id: 'm2' }), await look({ id: 'm2' }), await look()]).toEqual([
    1, 2, 2, 2,
  ])
  const quick = await notes.registry.createSession({ sessionId, mode: 'text', turnPauseMs: 0 })
  const next = toolCalls.wrapToolCall(quick, { meta: 'full' })
  const turns = []
  for (let at = 0; at < 6; at += 1) turns.push(turnOf(await next({ name: 'find_note', args: { query: `p${at}` } })))
  expect(turns).toEqual([3, 4, 5, 6, 7, 8])
})
