// A child process of the load test: the simulated model, or the server, which measures itself. Ends with its parent.
import { existsSync, readFileSync } from 'node:fs'
import { createHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { startProfiler } from './cpu-shares.mjs'
import { JOB_RULES, prepareJobs } from './load-jobs.mjs'

const QUESTION_RULES = [
  {
    when: { user: { regex: '^look (?<number>\\w+)' } },
    steps: [
      { emit: [{ call: { name: 'kb_search', args: { query: 'rust audio {{match.number}}' } } }] },
      { emit: [{ say: '{{match.number}} {{result.ok}}' }] },
    ],
  },
]

/** @param {{ work: 'questions' | 'jobs' }} settings */
async function startSimulated({ work }) {
  const { startSimulator } = await import('toolgate-simulator')
  // An open microphone that sends silence must not count as an utterance; a load user sends less than this.
  const settings = { label: '', listenMs: 60_000, ...(work === 'jobs' && { toneMs: 20, pieceChars: 4000 }) }
  const rules = work === 'jobs' ? JOB_RULES : QUESTION_RULES
  const simulator = await startSimulator({ scenario: { name: 'load', settings, rules } })
  simulator.whenReceived(noteRelay, { timeoutMs: MAX_TIMER_MS }).catch(() => {})
  return { url: simulator.url }
}

const MAX_TIMER_MS = 2 ** 31 - 1
/** How long the sound of users was on its way to the model, in milliseconds, at least 1. */
const relay = createHistogram()

/**
 * Sound that a provider takes at another rate has lost its time of sending.
 * @param {{ json?: any }} entry what the model has received @returns {boolean} false: the next one is looked at, too
 */
function noteRelay({ json }) {
  const sound = json?.realtimeInput?.audio?.data
  if (typeof sound === 'string')
    relay.record(Math.max(1, Date.now() - Buffer.from(sound.slice(0, 12), 'base64').readDoubleLE()))
  return false
}

/** The relay of a stretch of time, which ends. */
function measureRelay() {
  const { count } = relay
  const [p50, p99] = [relay.percentile(50), relay.percentile(99)]
  const measured = count === 0 ? undefined : { p50, p99, max: relay.max, count }
  relay.reset()
  return { relayMs: measured }
}

let executed = 0

/** @type {Awaited<ReturnType<typeof startProfiler>> | null} */
let profiler = null

/** @type {Awaited<ReturnType<typeof prepareJobs>> | null} */
let jobs = null

/**
 * @param {{ provider: 'gemini' | 'openai' | 'gptLive', model?: string, simulatorUrl: string, work: 'questions' | 'jobs',
 *   isProfiled: boolean }} settings
 */
async function startServer({ provider, model, simulatorUrl, work, isProfiled }) {
  if (isProfiled) profiler = await startProfiler()
  if (work === 'jobs') jobs = await prepareJobs()
  const [{ createVoiceServer }, { createRegistry }, { embeddedServices }] = await Promise.all([
    import('../server.js'),
    import('toolgate'),
    import('../src/settings/shipped-services.js'),
  ])
  const registry = createRegistry({
    ...jobs?.options,
    audit: line => (executed += line.includes('"event":"tool_execution"') ? 1 : 0),
  })
  const baseUrl = provider === 'gemini' ? simulatorUrl : `${simulatorUrl}/v1`
  const logger = {
    info: () => {},
    warn: (/** @type {unknown[]} */ ...line) => console.error(...line),
    error: (/** @type {unknown[]} */ ...line) => console.error(...line),
  }
  const { url } = await createVoiceServer({
    registry,
    ...(jobs === null && { services: await embeddedServices({ registry: () => registry }) }),
    allowAnonymous: true,
    provider,
    [provider]: { apiKey: 'any', baseUrl, model },
    logger,
  })
  return { url }
}

/** Its delays include the time between two looks, 10 ms. */
const delay = monitorEventLoopDelay({ resolution: 10 })
/** How long the main thread has waited for a processor that other threads had, in milliseconds; 0 where the system does not report it. */
function waitedMs() {
  const file = `/proc/self/task/${process.pid}/schedstat`
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6 : 0
}

/** A stretch of time, and what had been used when it began: CPU time, waiting for a processor, the event loop. */
const beginLap = () => ({
  at: performance.now(),
  cpu: process.cpuUsage(),
  loop: performance.eventLoopUtilization(),
  waited: waitedMs(),
})
let lap = beginLap()

/** Ends a lap. Delays in milliseconds, the shares those of the lap's time. */
function endLap() {
  delay.disable()
  const { user, system } = process.cpuUsage(lap.cpu)
  const { utilization } = performance.eventLoopUtilization(lap.loop)
  const elapsedMs = performance.now() - lap.at
  const ms = (/** @type {number} */ nanoseconds) => Math.round(nanoseconds / 1e5) / 10
  const shareOf = (/** @type {number} */ used) => Math.round((used / elapsedMs) * 100) / 100
  return {
    rss: process.memoryUsage.rss(),
    executed,
    eventLoopDelayMs: {
      p50: ms(delay.percentile(50)),
      p95: ms(delay.percentile(95)),
      p99: ms(delay.percentile(99)),
      max: ms(delay.max),
    },
    cpuShare: shareOf((user + system) / 1000),
    eventLoopUtilization: Math.round(utilization * 100) / 100,
    waitedShare: shareOf(waitedMs() - lap.waited),
  }
}

/** What the process holds once all garbage is collected, in bytes: as the system counts it, and of JavaScript alone. */
async function memoryHeld() {
  for (let times = 0; times < 3; times += 1) {
    globalThis.gc?.()
    await sleep(50)
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, javaScript: heapUsed + external }
}

/**
 * Ends a lap and begins the next one.
 *
 * @param {string} ended `load` is profiled
 */
async function measure(ended) {
  const measured = { ...endLap(), ...(jobs && { jobs: jobs.counted(), held: await memoryHeld() }) }
  const cpuParts = ended === 'load' ? await profiler?.end() : undefined
  if (ended === 'warm-up') await profiler?.begin()
  lap = beginLap()
  delay.reset()
  delay.enable()
  return { ...measured, cpuParts }
}

const isSimulator = process.argv[2] === 'simulator'
const start = isSimulator ? startSimulated : startServer
/** @param {Record<string, any>} message */
async function answerTo({ start: settings, measure: what, release }) {
  if (settings !== undefined) return start(settings)
  if (what !== undefined) return isSimulator ? measureRelay() : measure(what)
  if (release) jobs?.release()
  return jobs?.counted()
}
process.on('message', async (/** @type {Record<string, any>} */ message) => process.send?.(await answerTo(message)))
process.on('disconnect', () => process.exit())
