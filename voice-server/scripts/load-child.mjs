// Starts the child processes of a load test: the simulated model and the server.
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

const PROCESS_FILE = fileURLToPath(new URL('load-process.mjs', import.meta.url))

/** What a load can be about: provider and, where it matters, model. @type {Record<string, { provider: string, model?: string }>} */
export const SURFACES = {
  gemini: { provider: 'gemini' },
  'gemini-older': { provider: 'gemini', model: 'gemini-older-live' },
  'gemini-3.8': { provider: 'gemini', model: 'gemini-3.8-live' },
  openai: { provider: 'openai' },
  gptLive: { provider: 'gptLive' },
}

export const MACHINE = `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}`

/** @typedef {Awaited<ReturnType<typeof startProcess>>} Child */

/**
 * Runs a load between a server and its simulated model, which end with it.
 * @template Result
 * @param {{ surface: string, work: 'questions' | 'jobs', isProfiled?: boolean, isPinned?: boolean }} settings
 * @param {(server: Child, simulator: Child) => Promise<Result>} act
 */
export async function withServer({ surface, work, isProfiled = false, isPinned = false }, act) {
  const simulator = await startProcess('simulator', { work })
  const { url: simulatorUrl } = simulator.started
  const server = await startProcess('server', { ...SURFACES[surface], simulatorUrl, work, isProfiled })
  try {
    if (isPinned) {
      pin('0', server.pid)
      for (const pid of [simulator.pid, process.pid]) pin(`1-${cpus().length - 1}`, pid)
    }
    return await act(server, simulator)
  } finally {
    await server.stop()
    await simulator.stop()
  }
}

/** Starts a child process that answers each message with one message. @param {string} role @param {object} settings */
async function startProcess(role, settings) {
  const execArgv = [...process.execArgv, '--expose-gc']
  const child = fork(PROCESS_FILE, [role], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv })
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

/** Lets a process and all its threads run on some cores only. @param {string} cores @param {number | undefined} pid */
function pin(cores, pid) {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)])
}

/**
 * Starts users in batches of 20; a burst of connections is not what a load measures.
 * @template User
 * @param {number} count
 * @param {(index: number) => Promise<User>} start
 */
export async function startUsers(count, start) {
  /** @type {User[]} */
  const users = []
  while (users.length < count) {
    const size = Math.min(20, count - users.length)
    const from = users.length
    users.push(...(await Promise.all(Array.from({ length: size }, (_, at) => start(from + at)))))
  }
  return users
}

/**
 * Reads the whole numbers among a command's options.
 * @template {string} Name
 * @param {Record<string, unknown>} values
 * @param {Record<Name, [least: number, most: number]>} ranges
 */
export function wholeNumbers(values, ranges) {
  const numbers = /** @type {Record<Name, number>} */ ({})
  for (const name of /** @type {Name[]} */ (Object.keys(ranges))) {
    const [least, most] = ranges[name]
    const value = Number(values[name])
    if (!Number.isInteger(value) || value < least || value > most)
      throw new Error(`--${name} must be a whole number from ${least} to ${most}`)
    numbers[name] = value
  }
  return numbers
}

/** @param {object} result @param {boolean} asJson */
export function print(result, asJson) {
  if (asJson) return console.log(JSON.stringify(result))
  for (const [name, value] of Object.entries(result)) {
    console.log(`${name.padEnd(18)}${typeof value === 'object' ? JSON.stringify(value) : value}`)
  }
}
