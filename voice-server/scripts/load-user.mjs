// One of the load's users: an open microphone, and a question every so often whose answer must hold its own number.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'

const CHUNK_MS = 100
const CHUNK = Buffer.alloc(CHUNK_MS * 32)
/** The simulator takes a minute of sound for something said. */
const CHUNKS = 550
const PATIENCE_MS = 20_000

export class LoadUser {
  asked = 0
  answered = 0
  waitsMs = []
  failures = []
  #timers = []
  #chunks = 0
  /** The question that is open: its number, and what is still missing. */
  #open = null
  #ending = false

  constructor(socket, { every, withSound }) {
    Object.assign(this, { socket, every, withSound })
    socket.on('message', (data, isBinary) => isBinary || this.#hear(JSON.parse(data.toString())))
    socket.on('close', code => this.#ending || this.failures.push(`closed with ${code}`))
  }

  static async start(url, options) {
    const socket = new WebSocket(url)
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'start' }))
    const [data] = await once(socket, 'message')
    const started = JSON.parse(data.toString())
    if (started.type !== 'started') throw new Error(`not started: ${data}`)
    return new LoadUser(socket, options)
  }

  /** @param {number} afterMs so that not all ask in the same moment */
  begin(afterMs) {
    if (this.withSound) this.#timers.push(setInterval(() => this.#hum(), CHUNK_MS))
    this.#timers.push(
      setTimeout(() => {
        this.#ask()
        this.#timers.push(setInterval(() => this.#ask(), this.every))
      }, afterMs),
    )
  }

  /** Asks nothing more, and waits for what is still to come. */
  async finish() {
    for (const timer of this.#timers) clearTimeout(timer)
    const until = performance.now() + PATIENCE_MS
    while (this.#open !== null && performance.now() < until) await sleep(20)
    this.#ending = true
    this.socket.send(JSON.stringify({ type: 'end' }))
    await once(this.socket, 'close')
  }

  #hum() {
    if ((this.#chunks += 1) <= CHUNKS) this.socket.send(CHUNK)
  }

  /** A question that is not answered yet is not talked over: that would be an interruption. */
  #ask() {
    if (this.#open !== null) return
    this.asked += 1
    this.#open = { number: `n${this.asked}`, at: performance.now(), said: '', results: 0 }
    this.socket.send(JSON.stringify({ type: 'text', text: `look ${this.#open.number}` }))
  }

  #hear(frame) {
    const open = this.#open
    if (frame.type === 'error') this.failures.push(`${frame.type} ${frame.code ?? ''}`)
    if (open === null) return
    if (frame.type === 'toolResult' && frame.ok) open.results += 1
    if (frame.type === 'transcript' && frame.direction === 'output') open.said += frame.text
    if (frame.type === 'turnComplete') this.#answered(open)
  }

  #answered({ number, at, said, results }) {
    this.#open = null
    this.waitsMs.push(performance.now() - at)
    if (results === 1 && said === `${number} true`) this.answered += 1
    else this.failures.push(`${number}: ${results} results, said ${said.slice(0, 80)}`)
  }
}
