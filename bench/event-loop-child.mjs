// A fresh process in which calls flow while a heart beats, then says how late the heart was. Started by event-loop.mjs:
// `node --expose-gc event-loop-child.mjs <contender> <artifact> <id|hash>`.
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

import { callMaker } from './cases.mjs'
import { contenders } from './contenders.mjs'
import { latenciesOf, median } from './statistics.mjs'
import { handlers } from './workload.mjs'

const [name, path, key] = process.argv.slice(2)
const BEAT_MS = 5
const WARM = 3
const CALLS = 10
/** Between one call's answer and the next call. */
const PAUSE_MS = 50

async function openContender() {
  // Without calls: what is late then is the machine's own doing.
  if (name === 'idle') return { open: async () => ({ executeText: () => wait(20) }), close: async () => {} }
  return contenders[name]({ toolSet: { path, artifact: JSON.parse(readFileSync(path, 'utf8')) }, handlers })
}

/** @returns a heart, and what it noticed once it is stopped */
function startHeart() {
  const late = []
  let last = performance.now()
  const beat = () => {
    const now = performance.now()
    late.push(Math.max(0, now - last - BEAT_MS))
    last = now
  }
  const timer = setInterval(beat, BEAT_MS)
  return () => {
    clearInterval(timer)
    return late
  }
}

async function flow(session, calls) {
  const took = []
  for (const call of calls) {
    await session.beginTurn?.()
    const started = performance.now()
    await session.executeText(call)
    took.push(performance.now() - started)
    await wait(PAUSE_MS)
  }
  return took
}

const contender = await openContender()
const session = await contender.open()
const make = callMaker({ size: 'huge', key })
const calls = Array.from({ length: WARM + CALLS }, (_, n) => make(1 + n * 10_000))
await flow(session, calls.slice(0, WARM))
globalThis.gc()
await wait(PAUSE_MS)
const stopHeart = startHeart()
const took = await flow(session, calls.slice(WARM))
const late = stopHeart()
await session.end?.()
await contender.close()
console.log(JSON.stringify({ maxMs: Math.max(...late), ...latenciesOf(late), callMs: median(took) }))
