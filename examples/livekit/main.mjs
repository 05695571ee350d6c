// An agent of LiveKit Agents, in text and without a room. Without OPENAI_API_KEY it talks to the simulator.
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { initializeLogger, llm, voice } from '@livekit/agents'
import { LLM } from '@livekit/agents-plugin-openai'
import { createRegistry } from 'toolgate'
import { toLiveKitTools } from 'toolgate/livekit'

const { OPENAI_API_KEY } = process.env
const simulator = OPENAI_API_KEY ? null : await startSimulator()
const model = new LLM({
  model: 'gpt-5.4-mini',
  apiKey: OPENAI_API_KEY || 'any',
  ...(simulator ? { baseURL: `${simulator.url}/v1` } : {}),
})
const terminal = createInterface({ input: process.stdin })
const lines = terminal[Symbol.asyncIterator]()

const registry = await createRegistry({ audit: 'none' }).load()
const session = await registry.createSession({ mode: 'text' })
const tools = toLiveKitTools(session, {
  tool: llm.tool,
  // In a room: an RPC to the participant, whose page shows the preview.
  async confirm({ request }) {
    console.log(`${request.preview}? (y/n)`)
    const { value } = await lines.next()
    return value === 'y'
  },
})

initializeLogger({ pretty: false, level: 'silent' })
const agentSession = new voice.AgentSession({ llm: model })
await agentSession.start({ agent: new voice.Agent({ instructions: 'Help with orders.', tools }) })

for (const question of ['When does order A-17 arrive?', 'Please cancel A-17.']) {
  console.log(`user: ${question}`)
  await session.beginTurn()
  await agentSession.run({ userInput: question }).wait()
  console.log(`agent: ${agentSession.history.items.at(-1).textContent}`)
}

terminal.close()
await agentSession.close()
await registry.close()
await simulator?.close()
process.exit()

async function startSimulator() {
  const { startSimulator: start } = await import('toolgate-simulator')
  return start({ scenarioFile: fileURLToPath(new URL('scenario.json', import.meta.url)) })
}
