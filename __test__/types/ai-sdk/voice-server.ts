// `toolgate-voice-server`, as TypeScript sees it.
import { createServer } from 'node:http'
import { createRegistry } from 'toolgate'
import { createVoiceServer, type VoiceEngine, type VoiceServer } from 'toolgate-voice-server'

const options = {
  registry: () => createRegistry({ strayErrors: 'report' }).load(),
  openai: { url: 'wss://gateway.example/realtime', headers: { 'api-key': 'any' } },
  spokenConsent: { languages: ['en'] },
  limits: { idleMs: 0 },
}
const voice: Promise<VoiceEngine> = createVoiceServer({
  ...options,
  noServer: true,
  authenticate: ({ headers }) => (headers.cookie ? { principal: 'user-17', roles: ['clerk'] } : null),
})
declare const engine: VoiceEngine
const { handleRequest, handleUpgrade } = engine
createServer((request, response) => void (handleRequest(request, response) || response.writeHead(404).end())).on(
  'upgrade',
  handleUpgrade,
)
const server: Promise<VoiceServer> = createVoiceServer({ ...options, allowAnonymous: true, port: 0 })
declare const listening: VoiceServer
const said: boolean = listening.say('session', listening.url)
// @ts-expect-error: the server of the host listens
void createVoiceServer({ ...options, noServer: true, allowAnonymous: true, port: 8788 })
// @ts-expect-error: a limit that there is not
void createVoiceServer({ ...options, allowAnonymous: true, limits: { idle: 0 } })
// @ts-expect-error: only a server of its own has an address
void engine.url
void [said, voice, server]
