// What a user gets, in absolute figures, before any ratio.
import { latencyCells } from '../latency.mjs'
import { milliseconds } from '../report.mjs'
import { storeRate } from '../stores/report.mjs'

const STORES = { file: 'the file store', redis: 'Redis', postgres: 'Postgres' }

/** @param {object} results @returns {string} a list; what was not measured is left out */
export function gains(results) {
  const { latency, voice, memory, startup, machine } = results
  const lines = [
    latency && callLine(latency),
    voice?.sessions > 0 &&
      `One core serves **${voice.sessions} active voice sessions**, each with an open microphone and a call every ${voice.everyMs / 1000} s; p99 event-loop delay below 20 ms.`,
    ...Object.entries(STORES).map(([database, title]) => storeLine(results, database, title)),
    memory &&
      `An idle session takes ${(memory.idleSessionBytes / 1000).toFixed(1)} KB, and a recorded call ${(memory.recordBytes / 1000).toFixed(2)} KB.`,
    startup && startLine(startup),
  ].filter(Boolean)
  if (lines.length === 0) return 'Nothing of this is measured yet.\n'
  return `On ${machine.cores} cores of ${machine.cpu}, with Node ${machine.node}:\n\n${lines.map(line => `- ${line}`).join('\n')}\n`
}

function callLine(latency) {
  const small = latency.find(({ size }) => size === 'small')
  const [, p50, p95, p99, floor] = latencyCells(small)
  return `A small call takes **${p50} ms** from its text to its answer (p95 ${p95} ms, p99 ${p99} ms), its session in memory; ${floor} ms of it are JSON, which takes as long without a gate. Its handler takes no time.`
}

function storeLine(results, database, title) {
  const alone = storeRate(results, database, { inFlight: 1, processes: 1 })
  const together = storeRate(results, database, { inFlight: 64, processes: 1 })
  if (!alone || !together) return null
  return `On ${title}, with each commit on the disk, a write takes ${milliseconds(alone.p50Ms)} ms (p95 ${milliseconds(alone.p95Ms)} ms, p99 ${milliseconds(alone.p99Ms)} ms); with 64 in flight one process does ${Math.round(together.perSecond).toLocaleString('en-US')} a second (p99 ${milliseconds(together.p99Ms)} ms).`
}

function startLine(startup) {
  const { medians } = startup.find(({ toolCount }) => toolCount === 500) ?? {}
  return (
    medians &&
    `A process with 500 tools is ready in ${medians.toolgate.readyMs.toFixed(0)} ms and holds ${medians.toolgate.rssMb.toFixed(0)} MB more than Node.`
  )
}
