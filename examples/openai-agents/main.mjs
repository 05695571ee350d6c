// An agent of the OpenAI Agents SDK. Without OPENAI_API_KEY it talks to the simulator.
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { Agent, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import { createRegistry } from 'toolgate'
import { rejectCall, toAgentTools } from 'toolgate/openai-agents'

setTracingDisabled(true)
const { OPENAI_API_KEY } = process.env
const simulator = OPENAI_API_KEY ? null : await startSimulator()
const modelProvider = new OpenAIProvider({
  apiKey: OPENAI_API_KEY || 'any',
  baseURL: simulator ? `${simulator.url}/v1` : undefined,
})

const registry = await createRegistry({ audit: 'none' }).load()
const session = await registry.createSession({ mode: 'text' })
const agent = new Agent({ name: 'Orders', instructions: 'Answer about orders.', tools: toAgentTools(session) })
const runner = new Runner({ modelProvider })
const terminal = createInterface({ input: process.stdin })
const lines = terminal[Symbol.asyncIterator]()

for (const question of ['When does order A-17 arrive?', 'Please cancel A-17.']) {
  console.log(`user: ${question}`)
  await session.beginTurn()
  let result = await runner.run(agent, question)
  while (result.interruptions.length > 0) {
    for (const interruption of result.interruptions) await decide(result.state, interruption)
    result = await runner.run(agent, result.state)
  }
  console.log(`agent: ${result.finalOutput}`)
}

terminal.close()
await registry.close()
await simulator?.close()

/** Puts the gate's question to the user. */
async function decide(state, interruption) {
  const asked = await session.listPending()
  const { preview } = asked.find(({ callId }) => callId === interruption.rawItem.callId) ?? {}
  console.log(`${preview}? (y/n)`)
  const { value } = await lines.next()
  if (value === 'y') state.approve(interruption)
  else await rejectCall(session, state, interruption)
}

async function startSimulator() {
  const { startSimulator: start } = await import('toolgate-simulator')
  return start({ scenarioFile: fileURLToPath(new URL('scenario.json', import.meta.url)) })
}
