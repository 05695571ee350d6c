// Frameworks parse a model's arguments, and `JSON.parse` makes Infinity of `1e400`, for which JSON writes `null`: an optional
// argument that is absent. Such a call is refused, and its user is not asked about another one.
import { AIMessage } from '@langchain/core/messages'
import { Command, MemorySaver, MessagesAnnotation, START, StateGraph, interrupt } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { Agent, Runner, Usage, setTracingDisabled } from '@openai/agents'
import { generateText, stepCountIs } from 'ai'
import aiSdk from '../../js/adapters/ai-sdk.js'
import langchain from '../../js/adapters/langchain.js'
import openaiAgents from '../../js/adapters/openai-agents.js'
import { openNotes } from './note-tools.mjs'
import { scriptedModel, toolMessages } from './scripted-provider.mjs'

setTracingDisabled(true)

const COPIES = { type: 'integer', minimum: 1, default: 1, description: 'How many.' }
let notes
beforeEach(async () => {
  const to = { type: 'string', minLength: 1, description: 'Who gets it.' }
  notes = await openNotes({}, { properties: { to, copies: COPIES } })
})
afterEach(() => notes.close())

const ID = 'call_send_0001'
const ARGS = '{"to":"Ada","copies":1e400}'
const pending = async () => (await notes.session.listPending()).map(({ args }) => args)

const FRAMEWORKS = {
  async 'AI SDK'() {
    const { model, requests } = scriptedModel([[{ id: ID, name: 'send_note', args: ARGS }], 'done'])
    const tools = aiSdk.toAiSdkTools(notes.session)
    await generateText({ model, prompt: 'send', tools, stopWhen: stepCountIs(2) })
    return toolMessages(requests[1])[ID]
  },
  async LangChain() {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('tools', new ToolNode(langchain.toLangChainTools(notes.session, { interrupt })))
      .addEdge(START, 'tools')
      .compile({ checkpointer: new MemorySaver() })
    const called = { id: ID, name: 'send_note', args: JSON.parse(ARGS), type: 'tool_call' }
    const thread = { configurable: { thread_id: 'one' } }
    const asked = await graph.invoke({ messages: [new AIMessage({ content: '', tool_calls: [called] })] }, thread)
    const approved = new Command({ resume: { callId: ID, approved: true } })
    const { messages } = asked.__interrupt__ ? await graph.invoke(approved, thread) : asked
    return JSON.parse(messages.at(-1).content)
  },
  async 'OpenAI Agents'() {
    const call = { type: 'function_call', callId: ID, name: 'send_note', arguments: ARGS, status: 'completed' }
    const content = [{ type: 'output_text', text: 'done' }]
    const done = { type: 'message', role: 'assistant', status: 'completed', content }
    const requests = []
    const model = {
      async getResponse(request) {
        requests.push(request)
        return { usage: new Usage(), output: [requests.length === 1 ? call : done], responseId: 'r1' }
      },
    }
    const agent = new Agent({ name: 'notes', model, tools: openaiAgents.toAgentTools(notes.session) })
    const { interruptions } = await new Runner().run(agent, 'send')
    expect(interruptions).toEqual([])
    const { output } = requests[1].input.find(({ type }) => type === 'function_call_result')
    return JSON.parse(output.text ?? output)
  },
}

test.each(Object.keys(FRAMEWORKS))('%s', async name => {
  const { error } = await FRAMEWORKS[name]()
  expect([error?.type, error?.message]).toEqual(['VALIDATION', expect.stringContaining('`/copies`')])
  expect([await pending(), notes.ran]).toEqual([[], []])
})
