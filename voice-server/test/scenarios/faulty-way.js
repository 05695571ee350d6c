// The way between the voice server and its provider: passes frames on, records them, and does to them what a fault asks for.
import { once } from 'node:events'
import { createServer } from 'node:http'
import WebSocket, { WebSocketServer } from 'ws'

const HOP = /^(?:host|connection|upgrade|sec-websocket-(?!protocol).*)$/
/** Frames that come twice. */
const DOUBLED = 6

/**
 * @typedef {{ kind: string, after?: number }} Fault `after`: the frame, counted over the run, after which it happens
 */

export class FaultyWay {
  target = ''
  #frames = 0
  #connections = 0
  #sockets = new Set()
  /** Ids of calls that the provider does not know. */
  #foreign = new Set()
  #server = createServer()

  /** @param {{ surface: import('./surfaces.js').Surface, fault: Fault, history: import('./history.js').History }} options */
  constructor({ surface, fault, history }) {
    Object.assign(this, { surface, fault, history })
    const sockets = new WebSocketServer({ noServer: true })
    this.#server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy())
      this.#connect(request, near => sockets.handleUpgrade(request, socket, head, near)).catch(() => socket.destroy())
    })
  }

  /** @returns {Promise<string>} its base URL */
  async start() {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${this.#server.address().port}`
  }

  close() {
    for (const socket of this.#sockets) socket.terminate()
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Connections that have not ended. */
  get open() {
    return [...this.#sockets].filter(({ readyState }) => readyState === WebSocket.OPEN).map(({ number }) => number)
  }

  async #connect(request, accept) {
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP.test(name)))
    const far = new WebSocket(this.target.replace('http', 'ws') + request.url, { headers })
    const early = []
    far.on('message', data => early.push(data))
    await once(far, 'open')
    accept(near => {
      const link = { near, far, number: (this.#connections += 1), isDead: false, response: [] }
      near.number = link.number
      this.#sockets.add(near)
      this.#join(link, early)
    })
  }

  #join(link, early) {
    const { near, far } = link
    const down = data => this.#down(link, JSON.parse(data.toString()))
    far.removeAllListeners('message').on('message', down)
    early.forEach(down)
    near.on('message', data => this.#up(link, data.toString()))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      one.on('error', () => {})
      one.on('close', (code, reason) => {
        this.history.add('providerClosed', { connection: link.number })
        if (code === 1006 || code === 1005) other.terminate()
        else if (other.readyState === WebSocket.OPEN) other.close(code, reason)
      })
    }
  }

  #up(link, text) {
    const frame = JSON.parse(text)
    const answers = this.surface.answers(frame)
    for (const { id, response } of answers) this.history.add('answer', { connection: link.number, id, response })
    if (link.isDead) return
    // The provider would refuse the answer to a call that it did not make.
    if (answers.length > 0 && answers.every(({ id }) => this.#foreign.has(id))) return
    if (link.far.readyState === WebSocket.OPEN) link.far.send(text)
  }

  #down(link, frame) {
    if (link.isDead) return
    this.#pass(link, frame)
    this.#frames += 1
    this.#collect(link, frame)
    this.#inject(link, frame)
  }

  #pass(link, frame) {
    if (link.near.readyState !== WebSocket.OPEN) return
    const { number: connection } = link
    for (const { id, name, args } of this.surface.calls(frame)) this.history.add('call', { connection, id, name, args })
    for (const id of this.surface.cancelled(frame)) this.history.add('callCancelled', { connection, id })
    const said = this.surface.said(frame)
    if (said !== '') this.history.add('modelSaid', { connection, text: said })
    link.near.send(JSON.stringify(frame))
  }

  /** Keeps the frames of the response in progress. */
  #collect(link, frame) {
    if (this.surface.begins(frame)) link.response = []
    link.response.push(frame)
  }

  #inject(link, frame) {
    const { kind, after = Infinity } = this.fault
    const at = this.#frames - after
    if (kind === 'doubled' && at >= 0 && at < DOUBLED && !this.surface.isSpeech(frame)) this.#pass(link, frame)
    if (kind === 'repeated' && at >= 0 && this.surface.ends(frame)) this.#repeat(link)
    if (at !== 0 || /client|old/.test(kind)) return
    this.history.add('fault', { fault: kind })
    if (kind === 'cut') link.near.terminate()
    if (kind === '1011') link.near.close(1011, 'internal error')
    if (kind === 'silent') link.isDead = true
    if (kind === 'goAway') this.#pass(link, this.surface.goAway)
    if (kind === 'strange') for (const extra of this.surface.strange) this.#pass(link, extra)
    if (kind === 'flipped') for (const extra of this.surface.flipped) this.#pass(link, extra)
  }

  /** The provider makes the calls of its response again, under other ids, once. */
  #repeat(link) {
    const text = JSON.stringify(link.response)
    const ids = [...text.matchAll(/"(?:call_id|id|item_id|response_id)":"([^"]{8,})"/g)].map(([, id]) => id)
    const calls = link.response.flatMap(frame => this.surface.calls(frame))
    if (calls.length === 0 || calls.some(({ id }) => this.#foreign.has(id))) return
    this.fault = { kind: 'none' }
    let again = text
    for (const id of new Set(ids)) again = again.replaceAll(`"${id}"`, `"${id}again"`)
    for (const { id } of calls) this.#foreign.add(`${id}again`)
    for (const frame of JSON.parse(again)) this.#pass(link, frame)
  }
}
