// A user of the load test: an open microphone, and at intervals a question whose answer must contain its number.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'

const CHUNK_MS = 100
const CHUNK_BYTES = CHUNK_MS * 32
/** The simulator counts 60 s of audio as an utterance, so a user sends less. */
const CHUNKS = 550
const TIMEOUT_MS = 20_000

/**
 * @typedef {{ every: number, withSound: boolean }} LoadOptions `every`: milliseconds from one question to the next
 * @typedef {{ number: string, at: number, said: string, results: number }} AskedQuestion
 */

/**
 * Opens a connection and begins or resumes a session on it.
 * @param {string} url
 * @param {{ sessionId?: string, resumeToken?: string }} [credentials]
 * @param {(frame: import('../src/voice-types.js').JsonObject) => void} [onFrame] gets each frame, from the first one on
 */
export async function openSession(url, credentials = {}, onFrame = () => {}) {
  const socket = new WebSocket(url)
  socket.on('message', (data, isBinary) => isBinary || onFrame(JSON.parse(data.toString())))
  await once(socket, 'open')
  const first = once(socket, 'message')
  socket.send(JSON.stringify({ type: 'start', ...credentials }))
  const started = JSON.parse((await first)[0].toString())
  if (started.type !== 'started') throw new Error(`not started: ${JSON.stringify(started)}`)
  return { socket, credentials: { sessionId: started.sessionId, resumeToken: started.resumeToken } }
}

export class LoadUser {
  asked = 0
  answered = 0
  /** @type {number[]} */
  waitsMs = []
  /** @type {string[]} */
  failures = []
  /** @type {NodeJS.Timeout[]} */
  #timers = []
  #chunks = 0
  /** The open question: its number, and what is received so far. @type {AskedQuestion | null} */
  #open = null
  #pendingEnd = false

  /** @param {WebSocket} socket @param {LoadOptions} options */
  constructor(socket, { every, withSound }) {
    this.socket = socket
    this.every = every
    this.withSound = withSound
    socket.on('message', (data, isBinary) => isBinary || this.#receive(JSON.parse(data.toString())))
    socket.on('close', code => this.#pendingEnd || this.failures.push(`closed with ${code}`))
  }

  /** @param {string} url @param {LoadOptions} options */
  static async start(url, options) {
    const { socket } = await openSession(url)
    return new LoadUser(socket, options)
  }

  /** @param {number} afterMs spreads the users' questions and their sound over time: no two microphones begin at once */
  begin(afterMs) {
    if (this.withSound) this.#repeat(() => this.#sendAudio(), { afterMs: afterMs % CHUNK_MS, everyMs: CHUNK_MS })
    this.#repeat(() => this.#ask(), { afterMs, everyMs: this.every })
  }

  /** @param {() => void} act @param {{ afterMs: number, everyMs: number }} times */
  #repeat(act, { afterMs, everyMs }) {
    this.#timers.push(
      setTimeout(() => {
        act()
        this.#timers.push(setInterval(act, everyMs))
      }, afterMs),
    )
  }

  /** Asks no further question and waits for the open answer. */
  async finish() {
    for (const timer of this.#timers) clearTimeout(timer)
    const until = performance.now() + TIMEOUT_MS
    while (this.#open !== null && performance.now() < until) await sleep(20)
    if (this.socket.readyState !== WebSocket.OPEN) return
    this.#pendingEnd = true
    this.socket.send(JSON.stringify({ type: 'end' }))
    await once(this.socket, 'close')
  }

  #sendAudio() {
    if ((this.#chunks += 1) > CHUNKS) return
    const chunk = Buffer.alloc(CHUNK_BYTES)
    // The model's process reads when it was sent.
    chunk.writeDoubleLE(Date.now())
    this.socket.send(chunk)
  }

  /** Skips the question if the last one has no answer yet: it would be an interruption. */
  #ask() {
    if (this.#open !== null) return
    this.asked += 1
    const number = `n${this.asked}`
    this.#open = { number, at: performance.now(), said: '', results: 0 }
    this.socket.send(JSON.stringify({ type: 'text', text: `look ${number}` }))
  }

  /** @param {import('../src/voice-types.js').JsonObject} frame */
  #receive(frame) {
    const open = this.#open
    if (frame.type === 'error') this.failures.push(`${frame.type} ${frame.code ?? ''}`)
    if (open === null) return
    if (frame.type === 'toolResult' && frame.ok) open.results += 1
    if (frame.type === 'transcript' && frame.direction === 'output') open.said += frame.text
    if (frame.type === 'turnComplete') this.#answered(open)
  }

  /** @param {AskedQuestion} question */
  #answered({ number, at, said, results }) {
    this.#open = null
    this.waitsMs.push(performance.now() - at)
    if (results === 1 && said === `${number} true`) this.answered += 1
    else this.failures.push(`${number}: ${results} results, said ${said.slice(0, 80)}`)
  }
}
