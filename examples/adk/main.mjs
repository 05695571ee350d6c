// An agent of the Agent Development Kit. Without GEMINI_API_KEY it talks to the simulator.
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { Gemini, InMemoryRunner, LlmAgent, LogLevel, setLogLevel } from '@google/adk'
import { createRegistry } from 'toolgate'
import { toAdkTools } from 'toolgate/adk'

const { GEMINI_API_KEY } = process.env
const simulator = GEMINI_API_KEY ? null : await startSimulator()
if (simulator) process.env.GOOGLE_GEMINI_BASE_URL = simulator.url
setLogLevel(LogLevel.ERROR)

const registry = await createRegistry({ audit: 'none' }).load()
const session = await registry.createSession({ mode: 'text' })
const model = new Gemini({ model: 'gemini-3.8-flash', apiKey: GEMINI_API_KEY || 'any' })
const agent = new LlmAgent({ name: 'orders', instruction: 'Help with orders.', model, tools: toAdkTools(session) })
const runner = new InMemoryRunner({ agent, appName: 'orders' })
const conversation = await runner.sessionService.createSession({ appName: 'orders', userId: 'user' })
const terminal = createInterface({ input: process.stdin })
const lines = terminal[Symbol.asyncIterator]()

for (const question of ['When does order A-17 arrive?', 'Please cancel A-17.']) {
  console.log(`user: ${question}`)
  await session.beginTurn()
  let { asked, text } = await send([{ text: question }])
  while (asked.length > 0) {
    const replies = []
    for (const { id, name, args } of asked) {
      console.log(`${args.toolConfirmation.hint}? (y/n)`)
      const { value } = await lines.next()
      const response = { confirmed: value === 'y', payload: args.toolConfirmation.payload }
      replies.push({ functionResponse: { id, name, response } })
    }
    ;({ asked, text } = await send(replies))
  }
  console.log(`agent: ${text}`)
}

terminal.close()
await registry.close()
await simulator?.close()

/** The text of the agent's reply, and the confirmations that the user is asked for: a model may make several calls at once. */
async function send(parts) {
  const asked = []
  let text = ''
  const newMessage = { role: 'user', parts }
  for await (const { content } of runner.runAsync({ userId: 'user', sessionId: conversation.id, newMessage })) {
    for (const said of content?.parts ?? []) {
      text += said.text ?? ''
      if (said.functionCall?.name === 'adk_request_confirmation') asked.push(said.functionCall)
    }
  }
  return { asked, text }
}

async function startSimulator() {
  const { startSimulator: start } = await import('toolgate-simulator')
  return start({ scenarioFile: fileURLToPath(new URL('scenario.json', import.meta.url)) })
}
