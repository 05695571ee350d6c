// The OpenAI Agents SDK: `needsApproval`, and the state of the interrupted run as text, which the host keeps.
import { Agent, RunState, Runner, Usage, setTracingDisabled, tool } from '@openai/agents'
import { z } from 'zod'

setTracingDisabled(true)

function agentOf(host) {
  let left = host.call
  const model = {
    async getResponse() {
      const now = left
      left = undefined
      const call = now && { type: 'function_call', callId: now.id, name: 'refund', arguments: JSON.stringify(now.args) }
      const text = {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'done' }],
      }
      return { usage: new Usage(), output: [call ? { ...call, status: 'completed' } : text] }
    },
  }
  const refund = tool({
    name: 'refund',
    description: 'Refund an order.',
    parameters: z.object({ order: z.string(), amount: z.number() }),
    needsApproval: true,
    execute: (args, _context, details) => host.refund(args, details.toolCall.callId),
  })
  return new Agent({ name: 'Orders', instructions: 'Refund orders.', model, tools: [refund] })
}

async function run(host, agent, input) {
  const result = await new Runner().run(agent, input)
  host.save('state', result.state.toString())
  if (result.interruptions.length > 0) return 'asked'
  return result.newItems.findLast(({ type }) => type === 'tool_call_output_item')?.output ?? result.finalOutput
}

export const start = host => run(host, agentOf(host), 'Refund order A-17.')

/** Approves what `change` makes of the interruption that was stored. */
async function approveStored(host, change = item => item) {
  const agent = agentOf(host)
  const text = host.load('state')
  const state = await RunState.fromString(agent, text)
  state.approve(change(state.getInterruptions()[0]))
  return run(host, agent, state)
}

export async function approve(host) {
  host.save('stored', host.load('state'))
  return approveStored(host)
}

export function resume(host) {
  host.save('state', host.load('stored'))
  return approveStored(host)
}

const changed = item => {
  item.rawItem = { ...item.rawItem, arguments: JSON.stringify({ order: 'A-17', amount: 4000 }) }
  return item
}
export const approveOther = host => approveStored(host, item => changed(Object.assign(Object.create(item), item)))

export async function approveAgain(host) {
  const before = await RunState.fromString(agentOf(host), host.load('state'))
  const [old] = before.getInterruptions()
  await start(host)
  return approveStored({ ...host, call: undefined }, () => old)
}
