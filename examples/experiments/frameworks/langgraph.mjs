// LangChain's agent on LangGraph: the middleware that asks a human, and a checkpointer on SQLite.
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { Command } from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain'
import { z } from 'zod'

class Scripted extends BaseChatModel {
  constructor(call) {
    super({})
    this.left = call
  }

  _llmType() {
    return 'scripted'
  }

  bindTools() {
    return this
  }

  async _generate() {
    const now = this.left
    this.left = undefined
    const calls = now ? [{ id: now.id, name: 'refund', args: now.args, type: 'tool_call' }] : []
    const message = new AIMessage({ content: now ? '' : 'done', tool_calls: calls })
    return { generations: [{ text: '', message }] }
  }
}

async function run(host, input, thread = 'thread-1') {
  const refund = tool((args, config) => host.refund(args, config.toolCall?.id).then(JSON.stringify), {
    name: 'refund',
    description: 'Refund an order.',
    schema: z.object({ order: z.string(), amount: z.number() }),
  })
  const agent = createAgent({
    model: new Scripted(host.call),
    tools: [refund],
    middleware: [humanInTheLoopMiddleware({ interruptOn: { refund: { allowedDecisions: ['approve', 'reject'] } } })],
    checkpointer: SqliteSaver.fromConnString(host.file('checkpoints.sqlite')),
  })
  const result = await agent.invoke(input, { configurable: { thread_id: thread } })
  if (result.__interrupt__?.length > 0) {
    host.save('interrupt', result.__interrupt__[0].id)
    return 'asked'
  }
  return result.messages.findLast(message => ToolMessage.isInstance(message))?.content ?? 'done'
}

/** A reply by the interrupt's id where `BY_ID` is set; by default it is for whatever the thread waits for. */
function resumeWith(host, decision, id = host.load('interrupt')) {
  const reply = { decisions: [decision] }
  return run(host, new Command({ resume: process.env.BY_ID ? { [id]: reply } : reply }))
}
export const start = host => run(host, { messages: [{ role: 'user', content: 'Refund order A-17.' }] })
export const approve = host => resumeWith(host, { type: 'approve' })

/** The thread goes on from its last checkpoint. */
export const resume = host => run(host, null)

export const approveOther = host =>
  resumeWith(host, { type: 'edit', editedAction: { name: 'refund', args: { order: 'A-17', amount: 4000 } } })

/** The user saw the first call, and the thread waits for the second. */
export async function approveAgain(host) {
  const shown = host.load('interrupt')
  await resumeWith({ ...host, call: undefined }, { type: 'reject' })
  await start(host)
  return resumeWith({ ...host, call: undefined }, { type: 'approve' }, shown)
}
