// A LangGraph agent. Without OPENAI_API_KEY it talks to the simulator.
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { Command, MemorySaver, interrupt } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent } from 'langchain'
import { createRegistry } from 'toolgate'
import { toLangChainTools } from 'toolgate/langchain'

const { OPENAI_API_KEY } = process.env
const simulator = OPENAI_API_KEY ? null : await startSimulator()
const model = new ChatOpenAI({
  model: 'gpt-5.4-mini',
  apiKey: OPENAI_API_KEY || 'any',
  configuration: simulator ? { baseURL: `${simulator.url}/v1` } : {},
})

const registry = await createRegistry({ audit: 'none' }).load()
const session = await registry.createSession({ mode: 'text' })
const tools = toLangChainTools(session, { interrupt })
const agent = createAgent({ model, tools, checkpointer: new MemorySaver() })
const thread = { configurable: { thread_id: session.sessionId } }
const terminal = createInterface({ input: process.stdin })
const lines = terminal[Symbol.asyncIterator]()

for (const question of ['When does order A-17 arrive?', 'Please cancel A-17.']) {
  console.log(`user: ${question}`)
  await session.beginTurn()
  let result = await agent.invoke({ messages: [{ role: 'user', content: question }] }, thread)
  while (result.__interrupt__?.length > 0) {
    const { callId, nonce, request } = result.__interrupt__[0].value
    console.log(`${request.preview}? (y/n)`)
    const { value } = await lines.next()
    result = await agent.invoke(new Command({ resume: { callId, nonce, approved: value === 'y' } }), thread)
  }
  console.log(`agent: ${result.messages.at(-1).text}`)
}

terminal.close()
await registry.close()
await simulator?.close()

async function startSimulator() {
  const { startSimulator: start } = await import('toolgate-simulator')
  return start({ scenarioFile: fileURLToPath(new URL('scenario.json', import.meta.url)) })
}
