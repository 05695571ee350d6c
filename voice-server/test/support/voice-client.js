// A client like a browser: opens a WebSocket and records every frame. Tests wait for frames, not for time.
import { once } from 'node:events'
import WebSocket from 'ws'

/** Long: only what fails waits so long, also on a machine that is busy with other things. */
const TIMEOUT_MS = 60_000

export class VoiceClient {
  /** All frames so far: objects for JSON, `{ type: 'audio', bytes }` for audio. */
  frames = []
  #waiters = new Set()
  #seen = 0

  constructor(url, options) {
    this.socket = new WebSocket(url, options)
    this.closed = once(this.socket, 'close').then(([code, reason]) => ({ code, reason: reason.toString() }))
    // A connection that fails to open rejects `open`.
    this.closed.catch(() => {})
    this.socket.on('message', (data, isBinary) =>
      this.#add(isBinary ? { type: 'audio', bytes: data.length } : JSON.parse(data.toString())),
    )
    this.socket.on('error', () => {})
  }

  /** Connects and starts. @returns {Promise<VoiceClient>} with `started` as the server sent it */
  static async start(url, frame = {}, options = undefined) {
    const client = await VoiceClient.open(url, options)
    client.send({ type: 'start', ...frame })
    client.started = await client.next('started')
    return client
  }

  static async open(url, options) {
    const client = new VoiceClient(url, options)
    await once(client.socket, 'open')
    return client
  }

  send(frame) {
    this.socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame))
  }

  say(text, more) {
    this.send({ type: 'text', text, ...more })
  }

  /**
   * Returns the next matching frame after the last one that was awaited.
   *
   * @param {string | ((frame: object) => boolean)} wanted its type, or a test
   */
  next(wanted) {
    const fits = typeof wanted === 'string' ? frame => frame.type === wanted : wanted
    return new Promise((resolve, reject) => {
      const waiter = { fits, resolve, timer: setTimeout(() => this.#giveUp(waiter, wanted, reject), TIMEOUT_MS) }
      this.#waiters.add(waiter)
      this.#offer(waiter)
    })
  }

  /** The model's text from now to the end of its turn. */
  async answer() {
    const from = this.#seen
    await this.next('turnComplete')
    return this.said(from)
  }

  said(from = 0) {
    const spoken = this.frames
      .slice(from)
      .filter(({ type, direction }) => type === 'transcript' && direction === 'output')
    return spoken.map(({ text }) => text).join('')
  }

  ofType(type) {
    return this.frames.filter(frame => frame.type === type)
  }

  async close() {
    this.socket.close()
    await this.closed
  }

  #add(frame) {
    this.frames.push(frame)
    for (const waiter of [...this.#waiters]) this.#offer(waiter)
  }

  #offer(waiter) {
    for (let at = this.#seen; at < this.frames.length; at += 1) {
      if (!waiter.fits(this.frames[at])) continue
      this.#seen = at + 1
      clearTimeout(waiter.timer)
      this.#waiters.delete(waiter)
      return waiter.resolve(this.frames[at])
    }
  }

  #giveUp(waiter, wanted, reject) {
    this.#waiters.delete(waiter)
    reject(
      new Error(
        `nothing like ${wanted} came; there were ${JSON.stringify(this.frames.map(({ type, code }) => code ?? type))}`,
      ),
    )
  }
}

/** The HTTP status of a refused upgrade. */
export async function refusedStatus(url, options) {
  const socket = new WebSocket(url, options)
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  response.resume()
  return response.statusCode
}
