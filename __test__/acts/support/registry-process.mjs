// A registry in a process of its own, with the sessions that a history uses. This file is both sides: what starts the process, and
// the process.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(import.meta.url)
const METHODS = [
  'ask',
  'beginTurn',
  'confirm',
  'deny',
  'detach',
  'execute',
  'grants',
  'listPending',
  'outcome',
  'revoke',
]

/** The side that starts the process. */
export class RegistryProcess {
  #child
  #asked = 0
  #waiting = new Map()

  /** @param {{ artifact: string, store: object, tools: string[], environment?: string }} opened @param {(sessionId: string, run: object) => void} onRun */
  static async start(opened, onRun) {
    const started = new RegistryProcess(onRun)
    await started.#ask({ open: opened })
    return started
  }

  constructor(onRun) {
    // Asked by structured clones, because JSON makes null of what is undefined; answered by JSON text, because clones are objects of
    // another realm than a test's.
    this.#child = fork(FILE, ['registry'], { serialization: 'advanced', execArgv: [] })
    this.#child.on('message', ({ run, sessionId, asked, answer, problem }) => {
      if (run) return onRun(sessionId, JSON.parse(run))
      const { resolve, reject } = this.#waiting.get(asked)
      this.#waiting.delete(asked)
      if (problem) reject(new Error(problem))
      else resolve(answer === undefined ? undefined : JSON.parse(answer))
    })
    this.#child.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the process ended: ${signal ?? code}`))
      this.#waiting.clear()
    })
  }

  #ask(message) {
    const asked = ++this.#asked
    return new Promise((resolve, reject) => {
      this.#waiting.set(asked, { resolve, reject })
      this.#child.send({ asked, ...message }, problem => problem && reject(problem))
    })
  }

  /** @param {object} options @returns {Promise<object>} a session whose methods run in the process */
  async createSession(options) {
    const session = await this.#ask({ attach: options })
    return Object.fromEntries(METHODS.map(method => [method, (...args) => this.#ask({ session, method, args })]))
  }

  /** Ends the process in the way of a crash: nothing is closed, and nothing detached. */
  async kill() {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }

  async close() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.send({ close: true })
    await ended
  }
}

async function openRegistry({ artifact, store, tools, environment }) {
  const { toolgate } = await import('../../../bench/toolgate.mjs')
  const execute =
    tool =>
    ({ args, session: { sessionId } }) => {
      // Before the answer: messages arrive in the order in which they were sent.
      process.send({ sessionId, run: JSON.stringify({ tool, ...args }) })
      return { ok: true, data: args }
    }
  const handlers = Object.fromEntries(tools.map(tool => [tool, execute(tool)]))
  return toolgate.createRegistry({ artifact, handlers, store, environment, audit: 'none' }).load()
}

/** The side of the process. */
function serve() {
  const sessions = []
  let registry
  const perform = async ({ open, attach, session, method, args }) => {
    if (open) registry = await openRegistry(open)
    else if (attach) return sessions.push(await registry.createSession(attach)) - 1
    else return sessions[session][method](...args)
  }
  process.on('message', async message => {
    if (message.close) {
      await registry.close({ timeoutMs: 0 })
      process.disconnect()
      return
    }
    const { asked } = message
    try {
      process.send({ asked, answer: JSON.stringify(await perform(message)) })
    } catch (problem) {
      process.send({ asked, problem: problem.message })
    }
  })
}

if (process.argv[1] === FILE && process.argv[2] === 'registry') serve()
