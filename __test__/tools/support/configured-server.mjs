// A server whose tools have the services that its settings select, and a provider on loopback that speaks the API of each of them.
import { createRegistry } from '../../../index.js'
import { toolServiceSettings } from '../../../js/http/index.js'
import { configuredServices, sourceFields } from '../../../tools/_services/configured.js'
import { handlers } from '../../../tools/handlers.mjs'
import { afterTest } from '../../support/tool-set.mjs'
import { png } from './images.mjs'
import { startJsonServer } from './json-server.mjs'

export const OPENAI_KEY = 'sk-openai-Zq81'
export const GEMINI_KEY = 'AIza-gemini-Zq82'
export const BRAVE_KEY = 'BSA-brave-Zq83'
/** What a provider says of a failure. */
export const SAID = 'secret of the provider'
const SECRETS = [OPENAI_KEY, GEMINI_KEY, BRAVE_KEY, SAID]

const completion = content => ({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
})
export const image = bytes => bytes.toString('base64')
const grounded = {
  candidates: [
    {
      content: { parts: [{ text: 'It is 3.' }] },
      groundingMetadata: {
        groundingChunks: [{ web: { title: 'A page', uri: 'https://a.example/' } }],
        groundingSupports: [{ groundingChunkIndices: [0], segment: { text: 'It is 3.' } }],
      },
    },
  ],
}

/** @param {Buffer} bytes */
export const geminiImage = bytes => ({
  candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: image(bytes) } }] } }],
})

/** A provider of everything, with what it answers for each path; `draft` is what a model writes. */
export async function provider({ draft = {}, ...paths } = {}) {
  const answers = {
    '/v1/chat/completions': { body: completion(JSON.stringify(draft)) },
    '/v1beta/openai/chat/completions': { body: completion(JSON.stringify(draft)) },
    '/v1/images/generations': { body: { data: [{ b64_json: image(png(3, 2)) }] } },
    '/v1beta/models/gemini-3.1-flash-image:generateContent': { body: geminiImage(png(3, 2)) },
    '/v1beta/models/gemini-3.8-flash:generateContent': { body: grounded },
    '/res/v1/web/search': {
      body: { type: 'search', web: { results: [{ title: 'B', url: 'https://b.example/', description: 'b' }] } },
    },
    ...paths,
  }
  return startJsonServer(({ path }) => answers[path] ?? { status: 404 })
}

export const OPENAI = url => ({ OPENAI_API_KEY: OPENAI_KEY, TOOLGATE_OPENAI_BASE_URL: `${url}/v1` })
export const GEMINI = url => ({ GEMINI_API_KEY: GEMINI_KEY, TOOLGATE_GEMINI_BASE_URL: url })
export const BRAVE = url => ({ BRAVE_API_KEY: BRAVE_KEY, TOOLGATE_BRAVE_BASE_URL: `${url}/res/v1` })

/** A session of a server with these settings. All that a log, an audit or a model gets is in `seen`. */
export async function open(env) {
  const { services, sources } = await configuredServices(toolServiceSettings(env), { imageUrl: id => `/images/${id}` })
  const seen = [JSON.stringify(sourceFields(sources))]
  const registry = createRegistry({
    handlers,
    services,
    modes: { text: { attempts: 1 } },
    audit: line => seen.push(line),
    onHandlerError: error => seen.push(String(error.stack)),
  })
  await registry.load()
  afterTest(() => registry.close({ timeoutMs: 0 }))
  const session = await registry.createSession({ mode: 'text' })
  const call = async (name, args) => {
    const asked = await session.execute({ name, args })
    const token = asked.error?.confirmation_request?.token
    const answer = token ? await session.confirm(token) : asked
    seen.push(JSON.stringify(answer))
    return answer
  }
  return { call, services, sources, session, seen }
}

export function expectNoSecret(seen) {
  for (const secret of SECRETS) expect(seen.join('\n')).not.toContain(secret)
}
