// A user of the load of background calls: has jobs begun, drops its connection at intervals and resumes its session, and counts
// over all its connections what it was shown and what the model said to it.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSession } from './load-user.mjs'

const MARK = /done-(\w+)/g
const CALL_MS = 20_000

/** @typedef {{ job: string, ms?: number }} Job `ms`: how long it runs; without it, until it is let end */

export class BackgroundUser {
  /** @type {string[]} */
  failures = []
  /** Job → how often its mark was said. @type {Map<string, number>} */
  said = new Map()
  /** Call → how often its result was shown. @type {Map<string, number>} */
  shown = new Map()
  asked = 0
  connections = 0
  /** Words of the open utterances of this connection. @type {Map<string, string>} */
  #utterances = new Map()
  /** @type {Set<() => void>} */
  #waiters = new Set()
  /** @type {import('ws').WebSocket | null} */
  #socket = null
  /** @type {{ sessionId?: string, resumeToken?: string }} */
  #credentials = {}
  #isOver = false

  /** @param {string} url */
  constructor(url) {
    this.url = url
  }

  /** @param {string} url */
  static async start(url) {
    const user = new BackgroundUser(url)
    await user.connect()
    return user
  }

  async connect() {
    this.#utterances.clear()
    this.connections += 1
    const { socket, credentials } = await openSession(this.url, this.#credentials, frame => this.#receive(frame))
    this.#socket = socket
    this.#credentials = credentials
  }

  /** Closes the connection without ending the session. What the server sends until it has heard of that counts. */
  async drop() {
    const socket = /** @type {import('ws').WebSocket} */ (this.#socket)
    socket.close()
    if (socket.readyState !== socket.CLOSED) await once(socket, 'close')
    for (const words of this.#utterances.values()) this.#count(words)
    this.#utterances.clear()
  }

  /** Has a job begun: it was once the model says so. @param {Job} job */
  async ask({ job, ms }) {
    this.asked += 1
    this.#send({ type: 'text', text: ms === undefined ? `job ${job}` : `job ${job} ${ms}` })
    const isBegun = await this.until(() => this.#hasHeard(`begun-${job}`), CALL_MS)
    if (!isBegun) this.failures.push(`${job} was not begun`)
  }

  /**
   * Has jobs begun, and drops the connection at intervals, not while a job is being asked for, until all are reported.
   * @param {Job[]} jobs
   * @param {{ reconnectMs: number, afterMs: number, patienceMs: number }} times `patienceMs`: after the longest job, and for each job's beginning
   */
  async work(jobs, { reconnectMs, afterMs, patienceMs }) {
    const until = performance.now() + Math.max(...jobs.map(({ ms = 0 }) => ms)) + patienceMs * (1 + jobs.length)
    const left = [...jobs]
    let dropAt = performance.now() + afterMs
    while (performance.now() < until && !(left.length === 0 && this.hasAll(jobs))) {
      const [next] = left.splice(0, 1)
      if (next !== undefined) await this.ask(next)
      const waitMs = Math.min(dropAt, until) - performance.now()
      if (left.length === 0) await this.until(() => this.hasAll(jobs), Math.max(0, waitMs))
      if (performance.now() < dropAt) continue
      await this.drop()
      await this.connect()
      dropAt = performance.now() + reconnectMs
    }
  }

  /** Whether the results of these and all earlier jobs were said and shown. @param {Job[]} jobs */
  hasAll(jobs) {
    const marks = this.#marks()
    return this.shown.size >= this.asked && jobs.every(({ job }) => marks.has(job))
  }

  /** Ends the session, after a time in which what is said or shown once more would come. @param {number} settleMs */
  async end(settleMs) {
    await this.drop()
    await this.connect()
    await sleep(settleMs)
    for (const words of this.#utterances.values()) this.#count(words)
    this.#utterances.clear()
    this.#isOver = true
    this.#send({ type: 'end' })
    await once(/** @type {import('ws').WebSocket} */ (this.#socket), 'close')
  }

  /** Resolves with whether the condition came to hold in time. @param {() => boolean} holds @param {number} patienceMs */
  until(holds, patienceMs) {
    return new Promise(resolve => {
      const check = () => holds() && end(true)
      const end = (/** @type {boolean} */ met) => {
        clearTimeout(timer)
        this.#waiters.delete(check)
        resolve(met)
      }
      const timer = setTimeout(() => end(false), patienceMs)
      this.#waiters.add(check)
      check()
    })
  }

  /** @param {import('../src/voice-types.js').JsonObject} frame */
  #receive({ type, ...frame }) {
    if (type === 'error') this.failures.push(`error ${frame.code}`)
    if (type === 'ended' && !this.#isOver) this.failures.push(`ended by ${frame.cause}`)
    if (type === 'toolResult' && !frame.pending) {
      this.shown.set(frame.id, (this.shown.get(frame.id) ?? 0) + 1)
      if (!frame.ok) this.failures.push(`${frame.id} failed: ${frame.errorType}`)
    }
    if (type === 'transcript' && frame.direction === 'output') this.#heard(frame)
    for (const check of [...this.#waiters]) check()
  }

  /** @param {import('../src/voice-types.js').JsonObject} piece */
  #heard({ utterance, text, final }) {
    const words = (this.#utterances.get(utterance) ?? '') + text
    this.#utterances.set(utterance, words)
    if (!final) return
    this.#utterances.delete(utterance)
    this.#count(words)
  }

  /** @param {string} words */
  #count(words) {
    for (const [, job] of words.matchAll(MARK)) this.said.set(job, (this.said.get(job) ?? 0) + 1)
    for (const [begun] of words.matchAll(/begun-\w+/g)) this.said.set(begun, 1)
  }

  /** Jobs whose marks were said, also in words that go on. */
  #marks() {
    const open = [...this.#utterances.values()].flatMap(words => [...words.matchAll(MARK)].map(([, job]) => job))
    return new Set([...this.said.keys(), ...open])
  }

  /** @param {string} wanted */
  #hasHeard(wanted) {
    return this.said.has(wanted) || [...this.#utterances.values()].some(words => words.includes(wanted))
  }

  /** @param {object} frame */
  #send(frame) {
    this.#socket?.send(JSON.stringify(frame))
  }
}
