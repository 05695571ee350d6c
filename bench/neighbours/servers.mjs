// The servers of the benchmark: the routes of an agent's page over Node's http, without a model, and the voice server with the simulator.
import { createServer } from 'node:http'

import { startSimulator } from 'toolgate-simulator'
import { createVoiceServer } from 'toolgate-voice-server'

import { createRegistry } from '../../index.js'
import web from '../../js/web/index.js'
import { compileToolSet } from '../tool-set.mjs'

/** A chat whose model says nothing. */
const answer = () => ({ toUIMessageStream: () => new ReadableStream({ start: stream => stream.close() }) })

const TOOL = {
  toolId: 'look',
  description: 'Look a word up.',
  category: 'retrieval',
  version: '1.0.0',
  allowedModes: ['text', 'voice'],
  sideEffects: 'read_only',
  idempotent: true,
  requiresConfirmation: false,
  latencyBudgetMs: 100,
  parameters: {
    type: 'object',
    properties: { word: { type: 'string', description: 'The word.' } },
    required: ['word'],
    additionalProperties: false,
  },
}
const tools = await compileToolSet([TOOL])
process.once('exit', tools.remove)

const look = ({ args }) => ({ ok: true, data: { found: args.word } })
const registry = await createRegistry({
  artifact: tools.path,
  handlers: { look },
  audit: 'none',
  strayErrors: 'report',
}).load()
// What strangers cost, not what is refused of them: no client has an address, and so no limit.
const routes = web.createAgentRoutes(registry, { answer })

const server = createServer(async (incoming, response) => {
  const headers = new Headers(Object.entries(incoming.headers).flatMap(([name, value]) => [[name, String(value)]]))
  const hasBody = incoming.method !== 'GET'
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method,
    headers,
    ...(hasBody && { body: incoming, duplex: 'half' }),
  })
  const handle = incoming.method === 'GET' ? routes.GET : routes.POST
  const answered = await handle(request)
  response.writeHead(answered.status, [...answered.headers].flat())
  response.end(Buffer.from(await answered.arrayBuffer()))
})
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))

const simulator = await startSimulator()
const voice = await createVoiceServer({
  registry,
  allowAnonymous: true,
  provider: 'gemini',
  gemini: { apiKey: 'none', baseUrl: simulator.url },
  logger: { info() {}, warn() {}, error() {} },
})
process.send({ url: `http://127.0.0.1:${server.address().port}`, voiceUrl: voice.url })
process.once('disconnect', () => process.exit(0))
