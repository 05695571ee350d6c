// Mastra: `requireApproval`, and suspended runs in LibSQL.
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore } from '@mastra/libsql'
import { z } from 'zod'

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

function agentOf(host) {
  let left = host.call
  const model = {
    specificationVersion: 'v2',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    async doStream() {
      const now = left
      left = undefined
      const parts = now
        ? [{ type: 'tool-call', toolCallId: now.id, toolName: 'refund', input: JSON.stringify(now.args) }]
        : ['text-start', 'text-delta', 'text-end'].map(type => ({ type, id: 't', delta: 'done' }))
      const finish = { type: 'finish', finishReason: now ? 'tool-calls' : 'stop', usage }
      return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...parts, finish]) }
    },
    doGenerate: () => Promise.reject(new Error('the agent is streamed')),
  }
  const refund = createTool({
    id: 'refund',
    description: 'Refund an order.',
    inputSchema: z.object({ order: z.string(), amount: z.number() }),
    requireApproval: true,
    execute: (args, context) => host.refund(args, context?.agent?.toolCallId),
  })
  const orders = new Agent({ id: 'orders', name: 'orders', instructions: 'Refund orders.', model, tools: { refund } })
  const storage = new LibSQLStore({ id: 'runs', url: `file:${host.file('mastra.db')}` })
  return new Mastra({ agents: { orders }, storage, logger: false }).getAgent('orders')
}

async function read(host, { fullStream, runId }) {
  let heard = 'done'
  for await (const { type, payload } of fullStream) {
    if (type === 'tool-call-approval') {
      host.save('asked', { runId, toolCallId: payload.toolCallId })
      heard = 'asked'
    }
    if (type === 'tool-result') heard = payload.result
    if (type === 'tool-error' || type === 'error') heard = String(payload.error?.message ?? payload.error)
  }
  return heard
}

export const start = async host => read(host, await agentOf(host).stream('Refund order A-17.'))
const approveCall = async (host, asked) => read(host, await agentOf(host).approveToolCall(asked))
export const approve = host => approveCall(host, host.load('asked'))
export const resume = approve

export async function approveOther(host) {
  const { runId, toolCallId } = host.load('asked')
  const posted = { approved: true, args: { order: 'A-17', amount: 4000 } }
  return read(host, await agentOf(host).resumeStream(posted, { runId, toolCallId }))
}

/** The approval of the first call, when the second run waits. */
export async function approveAgain(host) {
  const { toolCallId } = host.load('asked')
  await start(host)
  const { runId } = host.load('asked')
  return approveCall({ ...host, call: undefined }, { runId, toolCallId })
}
