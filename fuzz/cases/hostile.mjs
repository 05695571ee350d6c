// Host code that ends with any value: each call is answered with a ToolResponse, each request with a Response, and nothing
// that was thrown reaches an answer or stays unhandled.
import { createToolRoute } from '../../js/web/index.js'
import { createRegistry } from '../../index.js'
import { SECRET, made } from '../hostile-value.mjs'
import { artifactOf } from '../payment.mjs'

const artifact = await artifactOf({ requiresConfirmation: true, allowedModes: ['text'] })

/** @type {Record<string, (value: () => unknown) => unknown>} */
const ENDS = {
  thrown(value) {
    throw value()
  },
  rejected: value => Promise.reject(value()),
  'rejected later': value => new Promise((_, reject) => setImmediate(() => reject(value()))),
  'rejected by a thenable': value => ({
    then: (/** @type {any} */ _, /** @type {any} */ reject) => reject(value()),
  }),
  returned: value => value(),
  resolved: async value => value(),
  'as data': value => ({ ok: true, data: { value: value() } }),
}
const isFailure = (/** @type {string} */ way) => way === 'thrown' || way.startsWith('rejected')

/** @type {unknown[]} */
let stray = []
process.on('unhandledRejection', error => stray.push(error))

/** @param {{ place: string, way: string, value: import('../hostile-value.mjs').Description }} input */
export async function runCase({ place, way, value }) {
  stray = []
  const end = () => ENDS[way](() => made(value))
  const outcome = place.startsWith('route ') ? await request(place.slice(6), end) : await call(place, way, end)
  await new Promise(resolve => setTimeout(resolve, 2))
  if (stray.length > 0) throw new Error('a rejection is not handled')
  return outcome
}

/** @param {string} place @param {string} way @param {() => unknown} end */
async function call(place, way, end) {
  const at = (/** @type {string} */ name) => (place === name ? end : () => {})
  const registry = registryOf(place, end)
  try {
    await registry.load()
    const session = await registry.createSession({
      mode: 'text',
      messaging: at('messaging'),
      onToolCall: at('onToolCall'),
      onCapabilityUsed: at('onCapabilityUsed'),
      onProgress: at('onProgress'),
    })
    const asked = await session.execute({ id: 'call_hostile_0001', name: 'pay', args: {} })
    // A schema's code runs before a user is asked.
    const token = asked.error?.confirmation_request?.token
    const answer = token === undefined ? asked : await session.confirm(token)
    return checked(answer, ['execute', 'messaging'].includes(place) && !isFailure(way))
  } finally {
    await registry.close({ timeoutMs: 100 })
  }
}

/** @param {string} place @param {() => unknown} end */
function registryOf(place, end) {
  const execute = {
    execute: end,
    messaging: async (/** @type {any} */ { context }) => ({ ok: true, data: await context.messaging.send({}) }),
    onHandlerError() {
      throw new Error(SECRET)
    },
    onProgress(/** @type {any} */ { context }) {
      context.progress({ text: 'half' })
      return { ok: true }
    },
  }
  const schema = { '~standard': { version: 1, vendor: 'fuzz', validate: end } }
  const handler = {
    execute: execute[/** @type {keyof typeof execute} */ (place)] ?? (() => ({ ok: true })),
    ...(place === 'validate' ? { parameters: schema } : {}),
  }
  return createRegistry({
    artifact,
    audit: 'none',
    handlers: { pay: /** @type {any} */ (handler) },
    onLog() {},
    onHandlerError: place === 'onHandlerError' ? end : () => {},
    ...(place === 'onConfirmation' ? { onConfirmation: end } : {}),
  })
}

/** @param {any} answer @param {boolean} mayTell whether the value is the handler's result */
function checked(answer, mayTell) {
  const text = JSON.stringify(answer)
  if (typeof answer?.ok !== 'boolean' || typeof answer.meta !== 'object') throw new Error(`not a ToolResponse: ${text}`)
  if (!mayTell && text.includes(SECRET)) throw new Error('the answer tells what was thrown')
  return answer.ok ? 'answered' : answer.error.type
}

/** @param {string} place @param {() => unknown} end */
async function request(place, end) {
  const registry = registryOf('route', end)
  try {
    await registry.load()
    const options = {
      session: () => {
        if (place === 'onError') throw new Error(SECRET)
        return { mode: 'text' }
      },
      onError() {},
      ...{ [place]: end },
    }
    const route = createToolRoute(registry, options)
    const origin = place === 'allowedOrigins' ? { origin: 'http://other.example' } : {}
    const headers = { 'content-type': 'application/json', ...origin, host: '127.0.0.1' }
    const init = { method: 'POST', headers, body: '{}' }
    const response = await route(new Request('http://127.0.0.1/tools/pay', init))
    const text = await response.text()
    if (text.includes(SECRET) && !['onError', 'toolOf'].includes(place) && response.status !== 200)
      throw new Error('the response tells it')
    return String(response.status)
  } finally {
    await registry.close({ timeoutMs: 100 })
  }
}
