// Who is measured. Each opens sessions with `beginTurn()` and `executeText(call)`; budgets are lifted, the rest of the
// policy is that of text mode.
import { JsGateway } from './js-gateway.mjs'
import { toolgate } from './toolgate.mjs'

const UNLIMITED = { retrievalCalls: 1e9, totalCalls: 1e9 }
let sessions = 0

function sessionOptions() {
  sessions += 1
  return { sessionId: `bench-${sessions}`, mode: 'text', policy: UNLIMITED }
}

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {() => Promise<{ executeText(call: object): Promise<string>, beginTurn?(id?: string): Promise<unknown>, end?(): Promise<void> }>} open
 * @property {() => Promise<void>} close
 */

/** @returns {Promise<Contender>} Toolgate, through its public face */
export async function toolgateContender({ path }, handlers) {
  const registry = toolgate.createRegistry({ artifact: path, handlers, audit: 'none', environment: 'production' })
  await registry.load()
  return { name: 'toolgate', open: () => registry.createSession(sessionOptions()), close: () => registry.close() }
}

/** @returns {Promise<Contender>} the gateway in plain JavaScript */
export async function jsContender({ artifact }, handlers, objectArgs) {
  const gateway = new JsGateway({ artifact, handlers, objectArgs })
  return { name: 'js', open: async () => gateway.createSession(sessionOptions()), close: async () => {} }
}

/** @returns {Promise<Contender>} no gateway at all: what parsing, the handler and the answer's text cost by themselves */
export async function floorContender(_toolSet, handlers) {
  const session = {
    async executeText({ name, args }) {
      const parsed = typeof args === 'string' ? JSON.parse(args) : args
      return JSON.stringify(await handlers[name]({ args: parsed }))
    },
  }
  return { name: 'floor', open: async () => session, close: async () => {} }
}
