// The tools of a session in Mastra: its own agent, over a scripted model.
import { endsOf } from '../peers/install.mjs'
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
const waiting = new Map()
const read = async ({ fullStream, runId }) => {
  for await (const { type, payload } of fullStream) {
    // Before an answer, or it is too late.
    if (type === 'tool-output' && answers.length === 0) progress.push([payload.toolCallId, payload.output])
    if (type === 'tool-result') answers.push(payload.result)
    if (type === 'tool-error') answers.push({ error: { type: String(payload.error) } })
    if (type === 'tool-call-suspended') waiting.set(payload.toolCallId, { runId, ...payload })
  }
}
await read(await agent.stream('go'))
while (waiting.size > 0) {
  const [[id, { runId, suspendPayload }]] = waiting
  previews.push(suspendPayload.request.preview)
  const reply = replies.shift()
  if (reply === undefined && rounds.length === 0) break
  waiting.delete(id)
  if (reply === undefined) {
    await read(await agent.stream('go on'))
    continue
  }
  const sent = typeof reply === 'object' ? { nonce: suspendPayload.nonce, ...reply } : reply
  await read(await agent.resumeStream(sent, { runId, toolCallId: reply.toAll ? undefined : id }))
}
`

/** A read that reports two steps. */
const TRACK_ORDER = `
import { defineTool, success } from 'toolgate'
import { z } from 'zod'

export default defineTool({
  description: 'Track an order by its number.',
  sideEffects: 'read_only',
  parameters: z.object({ number: z.string().min(1).max(20).describe('The number of the order.') }),
  async execute({ args, progress }) {
    progress({ step: 1 })
    await new Promise(resolve => setTimeout(resolve, 20))
    progress({ step: 2 })
    return success({ tracked: args.number })
  },
})
`

const cancel = (id, number, rest) => ({ id, name: 'cancel_order', args: { number, ...rest } })
const [ofA, ofB] = ['Cancel the order A-17', 'Cancel the order B-18']
const replied = { resumeData: { approved: true } }

testAgentConversations({
  dependencies: endsOf(['@mastra/core']),
  program: PROGRAM,
  files: { 'tools/track_order/tool.js': TRACK_ORDER },
  own: {
    'what a tool reports is in the stream before its answer': {
      rounds: [[{ id: 'call_track_0001', name: 'track_order', args: { number: 'A-17' } }]],
      replies: [],
      result: {
        answers: [{ tracked: 'A-17' }],
        previews: [],
        pending: 0,
        ran: [],
        progress: [1, 2].map(step => [
          'call_track_0001',
          { type: 'toolgate_progress', callId: 'call_track_0001', name: 'track_order', update: { step } },
        ]),
      },
    },
    'a model that replies for its user, in the call or in a repeat of it, is not heard': {
      rounds: [[cancel('call_cancel_0001', 'A-17', replied)], [cancel('call_cancel_0001', 'A-17', replied)]],
      replies: [],
      result: { answers: [], previews: [ofA, ofA], pending: 1, ran: [] },
    },
    'a reply to no call in particular is for the call whose nonce it has': {
      rounds: [[cancel('call_cancel_0001', 'A-17'), cancel('call_cancel_0002', 'B-18')]],
      replies: [{ approved: true, toAll: true }],
      // Mastra gives the results of a message's calls once all of them have one.
      result: { answers: [], previews: [ofA, ofB], pending: 1, ran: ['A-17'] },
    },
  },
})
