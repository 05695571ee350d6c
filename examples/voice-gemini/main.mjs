// A Gemini Live session in voice. Without GEMINI_API_KEY it talks to the simulator, which speaks a tone.
import { fileURLToPath } from 'node:url'

import { GoogleGenAI, Modality } from '@google/genai'
import { createRegistry } from 'toolgate'
import transports from 'toolgate/transports/gemini-live-transport.js'

const { GEMINI_API_KEY } = process.env
const simulator = GEMINI_API_KEY ? null : await startSimulator()
const ai = new GoogleGenAI({
  apiKey: GEMINI_API_KEY || 'any',
  httpOptions: simulator ? { baseUrl: simulator.url } : {},
})

const registry = await createRegistry({ audit: 'none' }).load()
const session = await registry.createSession({ mode: 'voice' })
const { promise: ended, resolve: end } = withResolvers()
let transport
let spoken = ''

const live = await ai.live.connect({
  model: 'gemini-3.8-live',
  config: {
    responseModalities: [Modality.AUDIO],
    outputAudioTranscription: {},
    tools: [{ functionDeclarations: registry.getProviderSchemas('geminiNative', { mode: 'voice' }) }],
  },
  callbacks: { onmessage: message => receive(message), onerror: error => console.error(error.message) },
})
transport = new transports.GeminiLiveTransport(live)

const question = 'When does order A-17 arrive?'
console.log(`user: ${question}`)
await session.beginTurn()
live.sendClientContent({ turns: [{ role: 'user', parts: [{ text: question }] }] })
await ended
console.log(`agent: ${spoken}`)

live.close()
await registry.close()
await simulator?.close()

async function receive(message) {
  for (const id of transport?.receiveCancellations(message) ?? []) session.cancel(id)
  const calls = transport?.receiveToolCalls(message) ?? []
  spoken += message.serverContent?.outputTranscription?.text ?? ''
  if (message.serverContent?.turnComplete) end()
  await Promise.all(
    calls.map(async ({ id, name, args }) => {
      const result = await session.execute({ id, name, args })
      console.log(`tool: ${name} ${result.ok ? JSON.stringify(result.data) : result.error.type}`)
      transport.sendToolResult({ id, name, result })
    }),
  )
}

function withResolvers() {
  const resolvers = {}
  resolvers.promise = new Promise(resolve => Object.assign(resolvers, { resolve }))
  return resolvers
}

async function startSimulator() {
  const { startSimulator: start } = await import('toolgate-simulator')
  return start({ scenarioFile: fileURLToPath(new URL('scenario.json', import.meta.url)) })
}
