// How many active voice sessions one core serves: the load test of the voice server with more and more users, each of whom
// sends sound and asks for a tool call every two seconds, until the event loop is late or an answer is missing.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { toolgate } from './toolgate.mjs'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const LOAD = path.join(ROOT, 'voice-server/scripts/load.mjs')
/** The load test looks at the event loop so often, and what it prints includes this. */
const RESOLUTION_MS = 10
const LATE_MS = 20
/** Of the questions that the users should have asked: who waits for an answer does not ask, and is not active. */
const ASKED_SHARE = 0.97
const EVERY_MS = 2000
const FIRST = 100
const STEP = 100
const FINE_STEP = 25
const MOST = 1000
/** A loop that was late once may have been disturbed by another process. */
const ATTEMPTS = 2

/**
 * `waitedShare`: of the time, how long the main thread could have run while other threads, of its own or other programs, had its core.
 *
 * @typedef {{ sessions: number, isServed: boolean, answerMs: Percentiles, lateMs: Percentiles, cpuShare: number, waitedShare: number, askedShare: number, lost: number }} Load
 * @typedef {{ p50: number, p95: number, p99: number }} Percentiles
 * @typedef {{ sessions: number, everyMs: number, seconds: number, warmUpSeconds: number, loads: Load[], parts: Record<string, number> | null, missing: string[] }} VoiceResults
 *   `sessions`: the most that were served; `parts`: shares of its busy time
 */

/** @param {{ isQuick: boolean }} options @returns {Promise<VoiceResults>} */
export async function measureVoice({ isQuick }) {
  const seconds = isQuick ? 3 : 15
  const reason = missingFor()
  const warmUpSeconds = isQuick ? 1 : 5
  const results = {
    sessions: 0,
    everyMs: EVERY_MS,
    seconds,
    warmUpSeconds,
    loads: [],
    parts: null,
    missing: reason ? [reason] : [],
  }
  if (reason !== null) return results
  const report = await toolgate.buildTools({ toolsDir: path.join(ROOT, 'tools') })
  if (!report.ok) throw new Error(toolgate.formatReport(report))
  const serve = async sessions => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      results.loads.push(loadOf(await runLoad(sessions, results, [])))
      if (results.loads.at(-1).isServed) return true
    }
    return false
  }
  results.sessions = isQuick ? ((await serve(FIRST)) ? FIRST : 0) : await mostServed(serve)
  const { cpuParts } = await runLoad(results.sessions || FIRST, results, ['--profile'])
  return { ...results, parts: shareOfBusy(cpuParts) }
}

function missingFor() {
  if (process.platform !== 'linux' || cpus().length < 2)
    return 'the server needs a core of its own, and Linux gives it one'
  return existsSync(path.join(ROOT, 'node_modules/ws')) ? null : '`npm install` has not installed the voice server'
}

/** Large steps up to the first load that is not served, then small ones below it. @param {(sessions: number) => Promise<boolean>} serve */
export async function mostServed(serve) {
  let most = 0
  let sessions = FIRST
  while (sessions <= MOST && (await serve(sessions))) {
    most = sessions
    sessions += STEP
  }
  if (most === MOST) return most
  let [low, high] = [most, sessions]
  while (high - low > FINE_STEP) {
    const middle = low + Math.max(FINE_STEP, Math.floor((high - low) / 2 / FINE_STEP) * FINE_STEP)
    if (await serve(middle)) low = middle
    else high = middle
  }
  return low
}

/** @param {number} sessions @param {{ seconds: number, warmUpSeconds: number }} times @param {string[]} more */
async function runLoad(sessions, { seconds, warmUpSeconds }, more) {
  const numbers = { sessions, seconds, 'warm-up': warmUpSeconds, every: EVERY_MS }
  const args = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)])
  try {
    const program = [LOAD, ...args, '--one-core', '--json', ...more]
    return JSON.parse((await promisify(execFile)(process.execPath, program)).stdout)
  } catch (problem) {
    // It ends with 1 if an answer is missing, and prints what it measured.
    if (problem.code === 1 && problem.stdout) return JSON.parse(problem.stdout)
    throw problem
  }
}

/** @param {object} result of the load test @returns {Load} */
export function loadOf(result) {
  const { sessions, asked, lost, executed, failures, answerMs, eventLoopDelayMs, cpuShare, waitedShare } = result
  const askedShare = asked / ((sessions * (result.warmUpSeconds + result.seconds) * 1000) / EVERY_MS)
  const late = delay => Math.max(0, delay - RESOLUTION_MS)
  const { p50, p95, p99 } = eventLoopDelayMs
  const isWhole = lost === 0 && failures.length === 0 && executed === asked && askedShare >= ASKED_SHARE
  return {
    sessions,
    isServed: isWhole && late(p99) < LATE_MS,
    answerMs,
    lateMs: { p50: late(p50), p95: late(p95), p99: late(p99) },
    cpuShare,
    waitedShare,
    askedShare,
    lost,
  }
}

/** @param {Record<string, number>} parts shares of the profiled time */
export function shareOfBusy({ idle, ...parts }) {
  return Object.fromEntries(Object.entries(parts).map(([part, share]) => [part, share / (1 - idle)]))
}

const PART_TITLES = {
  gate: 'the gate',
  tools: 'the tools',
  json: 'JSON',
  sockets: 'sockets',
  voice: "the voice server's own code",
  collector: 'the garbage collector',
  node: 'the rest of Node',
}

/** What the busy time went to, the largest first. @param {Record<string, number>} parts */
const partsText = parts =>
  Object.entries(parts)
    .toSorted(([, one], [, other]) => other - one)
    .map(([part, share]) => `${PART_TITLES[part]} ${(100 * share).toFixed(0)} %`)
    .join(', ')

/** @param {VoiceResults} voice */
export function voiceLines({ sessions, everyMs, seconds, warmUpSeconds, loads, parts, missing }) {
  if (missing.length > 0) return missing.map(reason => `skipped: voice sessions: ${reason}`)
  const figures = ({ p50, p95, p99 }) => [p50, p95, p99].map(ms => ms.toFixed(0)).join(' / ')
  const line = ({ sessions: count, isServed, answerMs, lateMs, cpuShare, waitedShare, askedShare }) =>
    `  ${String(count).padStart(4)}: answer ${figures(answerMs)} ms, event loop late ${figures(lateMs)} ms (p50 / p95 / p99), ${(100 * cpuShare).toFixed(0)} % of a core, waited for it ${(100 * waitedShare).toFixed(0)} %, ${(100 * askedShare).toFixed(0)} % asked${isServed ? '' : '  NOT SERVED'}`
  return [
    `Voice sessions on one core, each with sound and a call every ${everyMs / 1000} s, ${seconds} s after ${warmUpSeconds} s of warm-up: ${sessions} with a p99 event-loop delay below ${LATE_MS} ms`,
    ...loads.map(line),
    ...(parts ? [`  of the busy time: ${partsText(parts)}`] : []),
  ]
}
