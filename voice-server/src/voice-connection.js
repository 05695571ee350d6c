// One client's connection: its frames, its attachment to a session, its conversation with the model, and how they end.
// What a part does stands in its own file; here is only what follows what.
import { randomUUID } from 'node:crypto'
import { parseClientFrame } from './client-frames.js'
import { BrowserLink } from './browser-link.js'
import { RateBound } from './rate-bound.js'
import { VoiceCall } from './voice-call.js'

const POLICY_VIOLATION = 1008
const NORMAL = 1000
const GOING_AWAY = 1001
const INTERNAL = 1011
/** Frames over the bound that are dropped before the client is taken for an attacker. */
const MAX_DROPPED = 200

export class VoiceConnection {
  id = randomUUID()
  /** @type {VoiceCall | null} */
  call = null
  #started = false
  /** `start` and texts, one after another; the rest does not wait. */
  #inOrder = Promise.resolve()
  #dropped = 0

  /**
   * @param {import('ws').WebSocket} socket
   * @param {import('./voice-host.js').VoiceHost} host
   */
  constructor(socket, host) {
    this.host = host
    const { limits } = host
    this.browser = new BrowserLink(socket, limits)
    this.frames = new RateBound({ perSecond: limits.framesPerSecond, burst: limits.framesPerSecond * 4 })
    this.sound = new RateBound({ perSecond: limits.audioBytesPerSecond, burst: limits.audioBytesPerSecond * 8 })
    this.startTimer = setTimeout(
      () => this.#refuse('start_expected', 'the first frame must be `start`'),
      limits.startTimeoutMs,
    )
    socket.on('message', (data, isBinary) => (isBinary ? this.#hear(data) : this.#read(data)))
    socket.on('error', error => host.logger.info('client socket error', { connection: this.id, error: error.message }))
    socket.once('close', () => this.#gone())
  }

  /** Another connection took the session over. */
  async supersede() {
    await this.call?.end('superseded')
  }

  /** The server stops. Resolves once nothing of this connection runs any more. */
  async shutdown() {
    clearTimeout(this.startTimer)
    if (!this.call) this.browser.close(GOING_AWAY, 'the server is closing')
    await this.#inOrder
    await this.call?.end('shutdown')
  }

  #read(data) {
    if (!this.#isWithin(this.frames, 1)) return
    const { frame, problem } = parseClientFrame(data.toString())
    if (problem) return this.browser.sendError('bad_frame', problem)
    if (frame.type === 'start') return this.#queue(() => this.#start(frame))
    if (!this.#started)
      return this.browser.sendError('not_started', `\`${frame.type}\` needs a session, send \`start\` first`)
    if (frame.type === 'text') return this.#queue(() => this.call?.typed(frame))
    this.#attempt(() => this.#act(frame))
  }

  #act(frame) {
    switch (frame.type) {
      case 'audioEnd':
        return this.call?.audioEnded()
      case 'confirm':
        return this.call?.confirm(frame.token)
      case 'deny':
        return this.call?.deny(frame.token, frame.reason)
      case 'dtmf':
        return this.call?.dtmf(frame.digit)
      case 'played':
        return this.call?.played(frame.ms)
      default:
        return this.call ? this.call.end('client') : this.browser.close(NORMAL)
    }
  }

  #hear(pcm) {
    if (!this.call)
      return void (
        this.#isWithin(this.frames, 1) &&
        this.browser.sendError('not_started', 'audio needs a session, send `start` first')
      )
    if (pcm.length % 2 !== 0) return this.browser.sendError('bad_frame', 'audio must be PCM16: an even number of bytes')
    if (this.#isWithin(this.sound, pcm.length)) this.#attempt(() => this.call.heard(pcm))
  }

  async #start(frame) {
    if (this.#started) return this.browser.sendError('already_started', 'this connection has its session')
    this.#started = true
    clearTimeout(this.startTimer)
    const credentials = this.host.credentialsFor(frame)
    if (credentials === null)
      return this.#refuse('resume_refused', '`sessionId` and `resumeToken` do not belong together; start without them')
    await this.host.claim(credentials.sessionId, this)
    const call = new VoiceCall({ host: this.host, browser: this.browser, connectionId: this.id, credentials })
    try {
      const isLive = await call.start({ resume: frame.sessionId !== undefined, pendingRequest: frame.pendingRequest })
      if (isLive) this.call = call
    } catch (error) {
      if (this.host.owns(credentials.sessionId, this)) return this.#startFailed(error)
      // Overtaken on the way: the gate takes nothing from it any more, and it ends as one that was overtaken.
      this.call = call
    }
    // What happened to this connection while it was starting.
    if (!this.browser.isOpen) return this.#gone()
    if (!this.host.owns(credentials.sessionId, this)) await this.supersede()
  }

  #startFailed(error) {
    if (['AUTH', 'SESSION_INACTIVE'].includes(error.type ?? error.code))
      return this.#refuse('resume_refused', 'the session cannot be resumed, start a new one')
    this.host.logger.error('session could not start', { connection: this.id, error: error.stack })
    this.browser.sendError('internal', 'something went wrong on the server')
    this.browser.close(INTERNAL)
  }

  #isWithin(bound, amount) {
    if (bound.take(amount)) return true
    this.#dropped += 1
    if (this.#dropped === 1) this.browser.sendError('rate_limited', 'too much at once, the frame was dropped')
    if (this.#dropped > MAX_DROPPED) this.#refuse('rate_limited', 'too many frames')
    return false
  }

  #queue(act) {
    this.#inOrder = this.#inOrder.then(() => this.#attempt(act))
  }

  /** A failure here is the server's own: the client hears of it, and of no details. */
  async #attempt(act) {
    try {
      await act()
    } catch (error) {
      this.host.logger.error('connection failed', { connection: this.id, error: error.stack })
      this.browser.sendError('internal', 'something went wrong on the server')
    }
  }

  #refuse(code, message) {
    this.browser.sendError(code, message)
    this.browser.close(POLICY_VIOLATION, code)
  }

  #gone() {
    clearTimeout(this.startTimer)
    this.host.release(this)
    this.#attempt(() => this.call?.leave())
  }
}
