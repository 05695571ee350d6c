// One contender in a process of its own: `child.mjs <contender> <json of the setting>` prints `{ perSecond, calls, p50Ms, p95Ms, p99Ms }`.
import { randomUUID } from 'node:crypto'

import { latenciesOf } from '../statistics.mjs'
import { contenders } from './contenders.mjs'

const [name, text] = process.argv.slice(2)
/** @type {{ folder: string, serverUrl?: string, artifact: string, inFlight: number, milliseconds: number, callsPerSession: number }} */
const setting = JSON.parse(text)
const WARM_UP_MS = 300

const contender = await contenders[name]({ ...setting, handler: async args => ({ noted: args.text.length }) })
const prefix = randomUUID()
let sessions = 0

/** Calls one after the other, in a session and then in the next. @param {number} end @param {number[]} latencies */
async function callUntil(end, latencies) {
  let session = ''
  for (let call = 0; performance.now() < end; call++) {
    if (call % setting.callsPerSession === 0) session = `${prefix}-${sessions++}`
    const started = performance.now()
    await contender.run(session, `call-${call}`, { text: `a note about account ${call}` })
    latencies.push(performance.now() - started)
  }
}

/** The latencies of all calls within some time, so many of them in flight. @param {number} milliseconds */
async function measure(milliseconds) {
  /** @type {number[]} */
  const latencies = []
  const end = performance.now() + milliseconds
  await Promise.all(Array.from({ length: setting.inFlight }, () => callUntil(end, latencies)))
  return latencies
}

await measure(WARM_UP_MS)
const started = performance.now()
const latencies = await measure(setting.milliseconds)
const seconds = (performance.now() - started) / 1000
await contender.close()
console.log(
  JSON.stringify({ perSecond: latencies.length / seconds, calls: latencies.length, ...latenciesOf(latencies) }),
)
