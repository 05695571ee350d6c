// The tools of a session in Mastra: its own agent, over a scripted model.
import { testAgentConversations } from './agent-conversations.mjs'

const PROGRAM = `
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core'
import { InMemoryStore } from '@mastra/core/storage'
import { toMastraTools } from 'toolgate/mastra'

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const toPart = ({ id, name, args }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(args) })
const model = {
  specificationVersion: 'v2',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},
  async doStream() {
    const parts = rounds.shift()?.map(toPart)
    const text = ['text-start', 'text-delta', 'text-end'].map(type => ({ type, id: 't', delta: 'done' }))
    const stream = ReadableStream.from([
      { type: 'stream-start', warnings: [] },
      ...(parts ?? text),
      { type: 'finish', finishReason: parts ? 'tool-calls' : 'stop', usage },
    ])
    return { stream }
  },
}
model.doGenerate = () => Promise.reject(new Error('the agent is streamed'))
const orders = new Agent({ id: 'orders', name: 'orders', instructions: 'Help.', model, tools: toMastraTools(session) })
const agent = new Mastra({ agents: { orders }, storage: new InMemoryStore(), logger: false }).getAgent('orders')
const read = async ({ fullStream, runId }) => {
  let asked = null
  for await (const { type, payload } of fullStream) {
    if (type === 'tool-result') answers.push(payload.result)
    if (type === 'tool-error') answers.push({ error: { type: String(payload.error) } })
    if (type === 'tool-call-suspended') asked = { runId, ...payload }
  }
  return asked
}
let asked = await read(await agent.stream('go'))
while (asked !== null) {
  previews.push(asked.suspendPayload.request.preview)
  const reply = replies.shift()
  if (reply === undefined) break
  asked = await read(await agent.resumeStream(reply, { runId: asked.runId, toolCallId: asked.toolCallId }))
}
`

testAgentConversations({ dependencies: { '@mastra/core': '^1.0.0' }, program: PROGRAM })
