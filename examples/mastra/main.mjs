// A Mastra agent. Without OPENAI_API_KEY it talks to the simulator.
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { createOpenAI } from '@ai-sdk/openai'
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { InMemoryStore } from '@mastra/core/storage'
import { createRegistry } from 'toolgate'
import { toMastraTools } from 'toolgate/mastra'

const { OPENAI_API_KEY } = process.env
const simulator = OPENAI_API_KEY ? null : await startSimulator()
const openai = createOpenAI({
  apiKey: OPENAI_API_KEY || 'any',
  ...(simulator ? { baseURL: `${simulator.url}/v1` } : {}),
})

const registry = await createRegistry({ audit: 'none' }).load()
const session = await registry.createSession({ mode: 'text' })
const orders = new Agent({
  id: 'orders',
  name: 'orders',
  instructions: 'Help with orders.',
  model: openai.chat('gpt-5.4-mini'),
  tools: toMastraTools(session),
})
// A suspended call waits in the storage.
const mastra = new Mastra({ agents: { orders }, storage: new InMemoryStore(), logger: false })
const agent = mastra.getAgent('orders')
const terminal = createInterface({ input: process.stdin })
const lines = terminal[Symbol.asyncIterator]()
// The calls that wait for the user, by their ids: a model may make several at once.
const waiting = new Map()

for (const question of ['When does order A-17 arrive?', 'Please cancel A-17.']) {
  console.log(`user: ${question}`)
  await session.beginTurn()
  let text = await read(await agent.stream(question))
  while (waiting.size > 0) {
    const [[toolCallId, { runId, suspendPayload }]] = waiting
    waiting.delete(toolCallId)
    console.log(`${suspendPayload.request.preview}? (y/n)`)
    const { value } = await lines.next()
    const reply = { nonce: suspendPayload.nonce, approved: value === 'y' }
    text = await read(await agent.resumeStream(reply, { runId, toolCallId }))
  }
  console.log(`agent: ${text}`)
}

terminal.close()
await registry.close()
await simulator?.close()
process.exit()

/** The text of a reply; notes the calls that wait for the user. */
async function read({ fullStream, runId }) {
  let text = ''
  for await (const { type, payload } of fullStream) {
    if (type === 'text-delta') text += payload.text
    if (type === 'tool-call-suspended') waiting.set(payload.toolCallId, { runId, ...payload })
  }
  return text
}

async function startSimulator() {
  const { startSimulator: start } = await import('toolgate-simulator')
  return start({ scenarioFile: fileURLToPath(new URL('scenario.json', import.meta.url)) })
}
