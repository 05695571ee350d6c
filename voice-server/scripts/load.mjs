// Load test: many voice sessions with a tool call every two seconds. Measures lost results and the server's cost. The
// users run in this process, the server and the simulated model in child processes, all on loopback.
//
//   node scripts/load.mjs [--sessions 200] [--seconds 60] [--warm-up 5] [--every 2000] [--provider gemini|openai|gptLive]
// [--no-sound] [--one-core] [--profile] [--json]
//
// `relayMs` is how long a user's sound is on its way through the server to the model (Gemini, which takes it as it is).
//
// Before the seconds that are measured, the server warms up under the same load: for two seconds or so a fresh process
// runs code that V8 has not compiled yet. Calls and failures are counted from the start.
//
// With `--one-core` the server has the first core, and the users and the model have the others (Linux); with `--profile`
// the result says what the time of the server's JavaScript thread went to.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { MACHINE, print, startUsers, wholeNumbers, withServer } from './load-child.mjs'
import { LoadUser } from './load-user.mjs'

const PROVIDERS = ['gemini', 'openai', 'gptLive']

function readOptions() {
  const { values } = parseArgs({
    options: {
      sessions: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '60' },
      'warm-up': { type: 'string', default: '5' },
      every: { type: 'string', default: '2000' },
      provider: { type: 'string', default: 'gemini' },
      'no-sound': { type: 'boolean', default: false },
      'one-core': { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const { provider, profile: isProfiled, json: asJson } = values
  if (!PROVIDERS.includes(provider)) throw new Error(`--provider must be one of ${PROVIDERS.join(', ')}`)
  const numbers = wholeNumbers(values, {
    sessions: [1, 1000],
    seconds: [1, 600],
    'warm-up': [0, 60],
    every: [1, 60_000],
  })
  return { ...numbers, provider, isProfiled, asJson, withSound: !values['no-sound'], isPinned: values['one-core'] }
}

/** @param {ReturnType<typeof readOptions>} options */
function run({ sessions, seconds, 'warm-up': warmUpSeconds, every, provider, withSound, isPinned, isProfiled }) {
  return withServer({ surface: provider, work: 'questions', isProfiled, isPinned }, async (server, simulator) => {
    const users = await startUsers(sessions, () => LoadUser.start(server.started.url, { every, withSound }))
    await server.ask({ measure: 'sessions' })
    for (const [index, user] of users.entries()) user.begin(Math.floor((index * every) / sessions))
    await sleep(warmUpSeconds * 1000)
    const before = await server.ask({ measure: 'warm-up' })
    await simulator.ask({ measure: 'warm-up' })
    for (const user of users) user.waitsMs.length = 0
    await sleep(seconds * 1000)
    const { relayMs } = await simulator.ask({ measure: 'load' })
    const after = await server.ask({ measure: 'load' })
    await Promise.all(users.map(user => user.finish()))
    const { executed } = await server.ask({ measure: 'end' })
    return report(users, { sessions, seconds, warmUpSeconds, every, provider, executed, relayMs, before, after })
  })
}

/** @param {LoadUser[]} users @param {import('../src/voice-types.js').JsonObject} measured */
function report(users, { executed, relayMs, before, after, ...given }) {
  const sum = (/** @type {'asked' | 'answered'} */ member) => users.reduce((total, user) => total + user[member], 0)
  const waits = users.flatMap(user => user.waitsMs).toSorted((a, b) => a - b)
  const at = (/** @type {number} */ share) =>
    Math.round(waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0)
  const mib = (/** @type {number} */ bytes) => Math.round(bytes / 1024 / 1024)
  return {
    ...given,
    asked: sum('asked'),
    answered: sum('answered'),
    lost: sum('asked') - sum('answered'),
    executed,
    failures: users.flatMap(user => user.failures).slice(0, 10),
    relayMs,
    answerMs: { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
    eventLoopDelayMs: after.eventLoopDelayMs,
    warmUpDelayMs: before.eventLoopDelayMs,
    memoryMiB: { before: mib(before.rss), after: mib(after.rss) },
    cpuShare: after.cpuShare,
    eventLoopUtilization: after.eventLoopUtilization,
    waitedShare: after.waitedShare,
    cpuParts: after.cpuParts,
    machine: MACHINE,
  }
}

const options = readOptions()
const result = await run(options)
print(result, options.asJson)
if (result.lost > 0 || result.failures.length > 0 || result.executed !== result.asked) process.exitCode = 1
