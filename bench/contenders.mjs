// Who is measured. Each opens sessions with `beginTurn()` and `executeText(call)`. Both gateways have all their duties on,
// the audit too; budgets are lifted, the rest of the policy is that of text mode.
import { JsGateway } from './js-gateway.mjs'
import { naive, optimised } from './js-gateway/ways.mjs'
import { toolgate } from './toolgate.mjs'

/** Budgets are lifted, and the largest result too: what is above it would be cut. */
const UNLIMITED = { retrievalCalls: 1e9, totalCalls: 1e9, resultLimitBytes: 1024 * 1024 }
/** Above the largest arguments of the workload. */
export const LIMITS = { maxArgsBytes: 4 * 1024 * 1024 }
const WAYS = { naive, js: optimised }
let sessions = 0

function sessionOptions({ mode = 'text', policy } = {}) {
  sessions += 1
  return { sessionId: `bench-${sessions}`, mode, policy: { ...UNLIMITED, ...policy } }
}

/** A sink that counts: what a host does with a line is its own affair. */
export function countingSink() {
  const sink = () => {
    sink.lines += 1
  }
  sink.lines = 0
  return sink
}

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {(options?: { mode?: string, policy?: object }) => Promise<{ executeText(call: object): Promise<string>, beginTurn?(id?: string): Promise<unknown>, end?(): Promise<void> }>} open
 * @property {() => Promise<void>} close fails if the audit is empty
 *
 * @typedef {object} Setting
 * @property {{ path: string, artifact: object }} toolSet
 * @property {Record<string, Function>} handlers
 * @property {'copied' | 'in place'} [objectArgs]
 */

/** @param {Setting} setting @returns {Promise<Contender>} Toolgate, through its public face */
async function toolgateContender({ toolSet: { path }, handlers }) {
  const audit = countingSink()
  const registry = toolgate.createRegistry({
    artifact: path,
    handlers,
    audit,
    environment: 'production',
    limits: LIMITS,
  })
  await registry.load()
  const close = async () => {
    await registry.close()
    wasAudited('toolgate', audit)
  }
  return { name: 'toolgate', open: options => registry.createSession(sessionOptions(options)), close }
}

/** @returns {(setting: Setting) => Promise<Contender>} the gateway in plain JavaScript */
function jsContender(name) {
  return async ({ toolSet: { artifact }, handlers, objectArgs }) => {
    const audit = countingSink()
    const gateway = new JsGateway({ artifact, handlers, objectArgs, way: WAYS[name], audit, limits: LIMITS })
    return {
      name,
      open: async options => gateway.createSession(sessionOptions(options)),
      close: async () => wasAudited(name, audit),
    }
  }
}

function wasAudited(name, audit) {
  if (audit.lines === 0) throw new Error(`${name} was measured without its audit`)
}

/** @param {Setting} setting @returns {Promise<Contender>} no gateway at all: what parsing, the handler and the answer's text cost by themselves */
async function floorContender({ handlers }) {
  const session = {
    async executeText({ name, args }) {
      const parsed = typeof args === 'string' || Buffer.isBuffer(args) ? JSON.parse(args) : args
      return JSON.stringify(await handlers[name]({ args: parsed }))
    },
  }
  return { name: 'floor', open: async () => session, close: async () => {} }
}

/** @type {Record<string, (setting: Setting) => Promise<Contender>>} */
export const contenders = {
  naive: jsContender('naive'),
  js: jsContender('js'),
  toolgate: toolgateContender,
  floor: floorContender,
}
