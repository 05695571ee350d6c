// One way to call in a process of its own: `limits-child.mjs <json of the setting>` prints `{ perSecond, p50Ms, p95Ms, p99Ms }`.
import { randomUUID } from 'node:crypto'

import { latenciesOf } from '../statistics.mjs'
import { toolgate } from '../toolgate.mjs'

/** @type {{ tool: string, principals: 'one' | 'many', store: import('../../index.js').StoreChoice, artifact: string, inFlight: number, milliseconds: number }} */
const setting = JSON.parse(process.argv[2])
const WARM_UP_MS = 300
const CALLS_PER_SESSION = 64
const policy = { retrievalCalls: 1e9, totalCalls: 1e9 }

const handler = async ({ args }) => ({ ok: true, data: { noted: args.text.length } })
const registry = toolgate.createRegistry({
  artifact: setting.artifact,
  handlers: { note: handler, limited_note: handler },
  audit: 'none',
  store: setting.store,
})
await registry.load()
const prefix = randomUUID()
let [sessions, calls] = [0, 0]

/** @param {number} lane */
function openSession(lane) {
  const principal = `${prefix}-${setting.principals === 'one' ? 0 : lane}`
  return registry.createSession({ sessionId: `${prefix}-${(sessions += 1)}`, principal, mode: 'text', policy })
}

/** Calls one after the other, in a session and then in the next. @param {number} lane @param {number} end @param {number[]} latencies */
async function callUntil(lane, end, latencies) {
  let session = await openSession(lane)
  for (let call = 1; performance.now() < end; call += 1) {
    if (call % CALLS_PER_SESSION === 0) session = await openSession(lane)
    const started = performance.now()
    // The text is another each time: an act that its principal has done is asked about.
    const answer = await session.execute({ name: setting.tool, args: { text: `a note about ${(calls += 1)}` } })
    if (!answer.ok) throw new Error(answer.error?.message)
    latencies.push(performance.now() - started)
  }
}

/** @param {number} milliseconds */
async function measure(milliseconds) {
  /** @type {number[]} */
  const latencies = []
  const end = performance.now() + milliseconds
  await Promise.all(Array.from({ length: setting.inFlight }, (_, lane) => callUntil(lane, end, latencies)))
  return latencies
}

await measure(WARM_UP_MS)
const started = performance.now()
const latencies = await measure(setting.milliseconds)
const seconds = (performance.now() - started) / 1000
await registry.close()
console.log(JSON.stringify({ perSecond: latencies.length / seconds, ...latenciesOf(latencies) }))
