// A Genkit chat. Without OPENAI_API_KEY it talks to the simulator.
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { openAI } from '@genkit-ai/compat-oai/openai'
import { genkit } from 'genkit/beta'
import { createRegistry } from 'toolgate'
import { toGenkitTools } from 'toolgate/genkit'

const { OPENAI_API_KEY } = process.env
const simulator = OPENAI_API_KEY ? null : await startSimulator()
const plugin = openAI({ apiKey: OPENAI_API_KEY || 'any', ...(simulator ? { baseURL: `${simulator.url}/v1` } : {}) })
const ai = genkit({ plugins: [plugin], model: openAI.model('gpt-5.4-mini') })

const registry = await createRegistry({ audit: 'none' }).load()
const session = await registry.createSession({ mode: 'text' })
const terminal = createInterface({ input: process.stdin })
const lines = terminal[Symbol.asyncIterator]()
let messages = []

for (const prompt of ['When does order A-17 arrive?', 'Please cancel A-17.']) {
  console.log(`user: ${prompt}`)
  await session.beginTurn()
  let reply = await ai.generate({ messages, prompt, tools: toGenkitTools(session) })
  while (reply.interrupts.length > 0) {
    const tools = toGenkitTools(session)
    const restart = []
    for (const interrupt of reply.interrupts) {
      console.log(`${interrupt.metadata.interrupt.request.preview}? (y/n)`)
      const { value } = await lines.next()
      restart.push(tools[0].restart(interrupt, { approved: value === 'y' }))
    }
    reply = await ai.generate({ messages: reply.messages, tools, resume: { restart } })
  }
  messages = reply.messages
  console.log(`agent: ${reply.text}`)
}

terminal.close()
await registry.close()
await simulator?.close()

async function startSimulator() {
  const { startSimulator: start } = await import('toolgate-simulator')
  return start({ scenarioFile: fileURLToPath(new URL('scenario.json', import.meta.url)) })
}
