// Load test: many voice sessions with a tool call every two seconds. Measures lost results and the server's cost. The
// users run in this process, the server and the simulated model in child processes, all on loopback.
//
//   node scripts/load.mjs [--sessions 200] [--seconds 60] [--warm-up 5] [--every 2000] [--provider gemini|openai]
// [--no-sound] [--one-core] [--profile] [--json]
//
// Before the seconds that are measured, the server warms up under the same load: for two seconds or so a fresh process
// runs code that V8 has not compiled yet. Calls and failures are counted from the start.
//
// With `--one-core` the server has the first core, and the users and the model have the others (Linux); with `--profile`
// the result says what the time of the server's JavaScript thread went to.
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { LoadUser } from './load-user.mjs'

/** The range of each number. */
const RANGES = { sessions: [1, 1000], seconds: [1, 600], 'warm-up': [0, 60], every: [1, 60_000] }
const PROCESS_FILE = fileURLToPath(new URL('load-process.mjs', import.meta.url))

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
  const counts = { sessions: 0, seconds: 0, 'warm-up': 0, every: 0 }
  const { provider, profile: isProfiled, json: asJson } = values
  const options = {
    ...counts,
    provider,
    isProfiled,
    asJson,
    withSound: !values['no-sound'],
    isPinned: values['one-core'],
  }
  for (const name of /** @type {const} */ (['sessions', 'seconds', 'warm-up', 'every'])) {
    const [least, most] = RANGES[name]
    const value = Number(values[name])
    if (!Number.isInteger(value) || value < least || value > most)
      throw new Error(`--${name} must be a whole number from ${least} to ${most}`)
    options[name] = value
  }
  if (!['gemini', 'openai'].includes(options.provider)) throw new Error('--provider must be gemini or openai')
  return options
}

/** Starts a child process that answers each message with one message. @param {string} role @param {object} settings */
async function startProcess(role, settings) {
  const child = fork(PROCESS_FILE, [role], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the ${role} ended with ${code}`)
  })
  ended.catch(() => {})
  const ask = async (/** @type {object} */ message) => {
    child.send(message)
    const [answer] = await Promise.race([once(child, 'message'), ended])
    return answer
  }
  const stop = async () => {
    const exited = once(child, 'exit')
    child.disconnect()
    await exited
  }
  return { ask, stop, pid: child.pid, started: await ask({ start: settings }) }
}

/** @param {ReturnType<typeof readOptions>} options */
async function run({ sessions, seconds, 'warm-up': warmUpSeconds, every, provider, withSound, isPinned, isProfiled }) {
  const simulator = await startProcess('simulator', {})
  const server = await startProcess('server', { provider, simulatorUrl: simulator.started.url, isProfiled })
  try {
    if (isPinned) {
      pin('0', server.pid)
      for (const pid of [simulator.pid, process.pid]) pin(`1-${cpus().length - 1}`, pid)
    }
    const users = await startUsers(server.started.url, { sessions, every, withSound })
    await server.ask({ measure: 'sessions' })
    for (const [index, user] of users.entries()) user.begin(Math.floor((index * every) / sessions))
    await sleep(warmUpSeconds * 1000)
    const before = await server.ask({ measure: 'warm-up' })
    for (const user of users) user.waitsMs.length = 0
    await sleep(seconds * 1000)
    const after = await server.ask({ measure: 'load' })
    await Promise.all(users.map(user => user.finish()))
    const { executed } = await server.ask({ measure: 'end' })
    return report(users, { sessions, seconds, warmUpSeconds, every, provider, executed, before, after })
  } finally {
    await server.stop()
    await simulator.stop()
  }
}

/** Lets a process and all its threads run on some cores only. @param {string} cores @param {number | undefined} pid */
function pin(cores, pid) {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)])
}

/**
 * Connects the users in batches of 20; a burst of connections is not what this test measures.
 * @param {string} url
 * @param {import('./load-user.mjs').LoadOptions & { sessions: number }} options
 */
async function startUsers(url, options) {
  /** @type {LoadUser[]} */
  const users = []
  while (users.length < options.sessions) {
    const count = Math.min(20, options.sessions - users.length)
    users.push(...(await Promise.all(Array.from({ length: count }, () => LoadUser.start(url, options)))))
  }
  return users
}

/** @param {LoadUser[]} users @param {import('../src/voice-types.js').JsonObject} measured */
function report(users, { executed, before, after, ...given }) {
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
    answerMs: { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
    eventLoopDelayMs: after.eventLoopDelayMs,
    warmUpDelayMs: before.eventLoopDelayMs,
    memoryMiB: { before: mib(before.rss), after: mib(after.rss) },
    cpuShare: after.cpuShare,
    eventLoopUtilization: after.eventLoopUtilization,
    waitedShare: after.waitedShare,
    cpuParts: after.cpuParts,
    machine: `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}`,
  }
}

/** @param {object} result */
function print(result) {
  for (const [name, value] of Object.entries(result)) {
    console.log(`${name.padEnd(18)}${typeof value === 'object' ? JSON.stringify(value) : value}`)
  }
}

const options = readOptions()
const result = await run(options)
if (options.asJson) console.log(JSON.stringify(result))
else print(result)
if (result.lost > 0 || result.failures.length > 0 || result.executed !== result.asked) process.exitCode = 1
