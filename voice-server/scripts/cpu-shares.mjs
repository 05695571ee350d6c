// Where a process spends its time: a CPU profile, added up by who the code belongs to.
import { Session } from 'node:inspector/promises'

/**
 * Shares of the profiled time. `gate`: Toolgate, its native code among it. `tools`: handlers. `json`: parsing and writing JSON outside
 * native code. `sockets`: Node's streams, `ws` and the provider's client. `voice`: the code of the voice server. `collector`: the
 * garbage collector. `node`: the rest. `idle`: the thread waited.
 *
 * @typedef {Record<'gate' | 'tools' | 'json' | 'sockets' | 'voice' | 'collector' | 'node' | 'idle', number>} CpuShares
 */

/** By the address of the code, the first that fits. @type {[RegExp, keyof CpuShares][]} */
const PARTS = [
  [/\/node_modules\/(ws|@google\/genai)\//, 'sockets'],
  [/\/node_modules\/@orama\//, 'tools'],
  [/\/node_modules\/(?!toolgate\/)/, 'node'],
  [/\/voice-server\/(src|server)/, 'voice'],
  [/\/tools\//, 'tools'],
  [/\/js\/|\/index\.js$|\/native\.js$/, 'gate'],
  [/^node:(buffer|events|http|https|net|stream|_)|^node:internal\/(buffer|net|stream|url)/, 'sockets'],
]

/** V8 counts the builtins of JSON as their caller's time, so each gets a caller of its own. */
function nameJson() {
  const { parse, stringify } = JSON
  JSON.parse = function jsonParse(/** @type {Parameters<typeof parse>} */ ...args) {
    return parse(...args)
  }
  JSON.stringify = /** @type {typeof JSON.stringify} */ (
    function jsonStringify(/** @type {Parameters<typeof stringify>} */ ...args) {
      return stringify(...args)
    }
  )
}

/** Starts before the code that is profiled is loaded. */
export async function startProfiler() {
  nameJson()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 500 })
  return {
    begin: () => session.post('Profiler.start'),
    /** @returns {Promise<CpuShares>} */
    end: async () => sharesOf((await session.post('Profiler.stop')).profile),
  }
}

/** @param {import('node:inspector').Profiler.Profile} profile @returns {CpuShares} */
export function sharesOf({ nodes, samples = [], timeDeltas = [] }) {
  const parentOf = new Map(nodes.flatMap(node => (node.children ?? []).map(child => [child, node])))
  // Native functions have no address: they work for whoever calls them.
  const partOf = (/** @type {import('node:inspector').Profiler.ProfileNode | undefined} */ node) => {
    for (; node !== undefined; node = parentOf.get(node.id)) {
      const part = ownPart(node.callFrame)
      if (part !== undefined) return part
    }
    return 'node'
  }
  const partOfNode = new Map(nodes.map(node => [node.id, partOf(node)]))
  const time = { gate: 0, tools: 0, json: 0, sockets: 0, voice: 0, collector: 0, node: 0, idle: 0 }
  for (const [place, id] of samples.entries()) time[partOfNode.get(id) ?? 'node'] += timeDeltas[place] ?? 0
  const whole = Object.values(time).reduce((sum, part) => sum + part, 0) || 1
  const shares = Object.entries(time).map(([part, microseconds]) => [
    part,
    Math.round((1000 * microseconds) / whole) / 1000,
  ])
  return /** @type {CpuShares} */ (Object.fromEntries(shares))
}

/** @param {import('node:inspector').Runtime.CallFrame} frame @returns {keyof CpuShares | undefined} */
function ownPart({ functionName, url }) {
  if (functionName === 'jsonParse' || functionName === 'jsonStringify') return 'json'
  if (functionName === '(idle)') return 'idle'
  if (functionName === '(garbage collector)') return 'collector'
  if (functionName === '(program)') return 'node'
  if (url === '') return undefined
  return PARTS.find(([pattern]) => pattern.test(url))?.[1] ?? 'node'
}
