// One client's connection: reads its frames, attaches it to a session and ends both.
import { randomUUID } from 'node:crypto'
import { TokenBucket } from 'toolgate/http'
import { parseClientFrame } from './client-frames.js'
import { ClientSocket } from './client-socket.js'
import { VoiceCall } from './voice-call.js'

const POLICY_VIOLATION = 1008
const NORMAL = 1000
const GOING_AWAY = 1001
const INTERNAL = 1011
/** The connection ended without a closing handshake. */
const ABNORMAL = 1006
/** Rate-limited frames that are dropped before the connection is closed. */
const MAX_DROPPED = 200

export class VoiceConnection {
  id = randomUUID()
  /** @type {VoiceCall | null} */
  call = null
  /** A call that has not begun: another connection may take its session over meanwhile. @type {VoiceCall | null} */
  #starting = null
  #started = false
  /** Runs `start` and `text` frames one after another; other frames do not wait. */
  #inOrder = Promise.resolve()
  #dropped = 0

  /**
   * @param {{ socket: import('ws').WebSocket, stream: import('node:stream').Duplex }} client
   * @param {import('./server-context.js').ServerContext} context
   * @param {import('./upgrade-policy.js').Visitor} visitor
   */
  constructor({ socket, stream }, context, visitor) {
    this.context = context
    this.visitor = visitor
    const { limits } = context
    this.client = new ClientSocket(socket, stream, limits)
    this.frames = new TokenBucket({ perSecond: limits.framesPerSecond, burst: limits.framesPerSecond * 4 })
    this.sound = new TokenBucket({ perSecond: limits.audioBytesPerSecond, burst: limits.audioBytesPerSecond * 8 })
    this.startTimer = setTimeout(
      () => this.#refuse('start_expected', 'the first frame must be `start`'),
      limits.startTimeoutMs,
    )
    // `ws` gives Buffers unless another `binaryType` is set.
    socket.on('message', (/** @type {Buffer} */ data, isBinary) =>
      isBinary ? this.#handleAudio(data) : this.#handleText(data),
    )
    socket.on('error', error =>
      context.logger.info('client socket error', { connection: this.id, error: error.message }),
    )
    socket.once('close', code => this.#handleClose({ isReceived: code !== ABNORMAL }))
  }

  /** Ends this connection after another one took the session over. */
  async supersede() {
    await (this.call ?? this.#starting)?.end('superseded')
  }

  /** Ends this connection when the server stops. Resolves once nothing of it runs any more. */
  async shutdown() {
    clearTimeout(this.startTimer)
    if (!this.call) this.client.close(GOING_AWAY, 'the server is closing')
    await this.#inOrder
    await this.call?.end('shutdown')
  }

  /** @param {Buffer} data */
  #handleText(data) {
    if (!this.#isWithinRate(this.frames, 1)) return
    const { frame, problem } = parseClientFrame(data.toString())
    if (problem !== undefined) return this.client.sendError('bad_frame', problem)
    if (frame.type === 'start') return this.#queue(() => this.#start(frame))
    if (!this.#started)
      return this.client.sendError('not_started', `\`${frame.type}\` needs a session, send \`start\` first`)
    if (frame.type === 'text') return this.#queue(() => this.call?.handleText(frame))
    // The client may answer `started` before the start is over.
    if (this.#starting !== null && frame.type !== 'end')
      return this.#queue(() => void this.#attempt(() => this.#dispatch(frame)))
    this.#attempt(() => this.#dispatch(frame))
  }

  /** @param {import('../voice-types.js').ClientFrame} frame */
  #dispatch(frame) {
    switch (frame.type) {
      case 'audioEnd':
        return this.call?.audioEnded()
      case 'confirm':
        return this.call?.confirm(frame.token, { args: frame.args, grant: frame.grant })
      case 'deny':
        return this.call?.deny(frame.token, frame.reason)
      case 'revoke':
        return this.call?.revoke(frame.grant)
      case 'dtmf':
        return this.call?.dtmf(frame.digit)
      case 'played':
        return this.call?.played(frame.ms)
      case 'picture':
      case 'pictureOff':
        return this.call?.picture(frame)
      default:
        return this.call ? this.call.end('client') : this.client.close(NORMAL)
    }
  }

  /** @param {Buffer} pcm */
  #handleAudio(pcm) {
    if (!this.call)
      return void (
        this.#isWithinRate(this.frames, 1) &&
        this.client.sendError('not_started', 'audio needs a session, send `start` first')
      )
    if (pcm.length % 2 !== 0) return this.client.sendError('bad_frame', 'audio must be PCM16: an even number of bytes')
    if (!this.#isWithinRate(this.sound, pcm.length)) return
    try {
      this.call.handleAudio(pcm)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** @param {Extract<import('../voice-types.js').ClientFrame, { type: 'start' }>} frame */
  async #start(frame) {
    if (this.#started) return this.client.sendError('already_started', 'this connection has its session')
    this.#started = true
    clearTimeout(this.startTimer)
    const { identity, mayBegin } = this.visitor
    if (frame.sessionId === undefined && !mayBegin())
      return this.#refuse('rate_limited', 'too many sessions were started, try again in a minute')
    const credentials = this.context.credentialsFor(frame, identity)
    if (credentials === null)
      return this.#refuse('resume_refused', '`sessionId` and `resumeToken` do not belong together; start without them')
    await this.context.claim(credentials.sessionId, this)
    const { context, client, id: connectionId } = this
    const roles = identity?.roles
    const { timeZone } = frame
    const call = new VoiceCall({ context, client, connectionId, credentials, roles, timeZone })
    this.#starting = call
    try {
      const isLive = await call.start({ resume: frame.sessionId !== undefined, pendingRequest: frame.pendingRequest })
      if (isLive) this.call = call
    } catch (error) {
      if (this.context.owns(credentials.sessionId, this)) return this.#startFailed(error)
      // Superseded while it started: the gate refuses its operations, and it ends like any superseded connection.
      this.call = call
    } finally {
      this.#starting = null
    }
    // The connection may have closed or been superseded while it started.
    if (!this.client.isOpen) return this.#handleClose()
    if (!this.context.owns(credentials.sessionId, this)) await this.supersede()
  }

  /** @param {unknown} error */
  #startFailed(error) {
    const { type, code } = /** @type {{ type?: string, code?: string }} */ (error)
    if (['AUTH', 'SESSION_INACTIVE'].includes(type ?? code ?? ''))
      return this.#refuse('resume_refused', 'the session cannot be resumed, start a new one')
    this.context.logger.error('session could not start', {
      connection: this.id,
      error: /** @type {Error} */ (error).stack,
    })
    this.client.sendError('internal', 'something went wrong on the server')
    this.client.close(INTERNAL)
  }

  /** @param {TokenBucket} bound @param {number} amount */
  #isWithinRate(bound, amount) {
    if (bound.take(amount)) return true
    this.#dropped += 1
    if (this.#dropped === 1) this.client.sendError('rate_limited', 'too much at once, the frame was dropped')
    if (this.#dropped > MAX_DROPPED) this.#refuse('rate_limited', 'too many frames')
    return false
  }

  /** @param {() => unknown} act */
  #queue(act) {
    this.#inOrder = this.#inOrder.then(() => this.#attempt(act))
  }

  /**
   * Runs `act`. An error is a failure of the server: the client gets an error frame without details.
   * @param {() => unknown} act
   */
  async #attempt(act) {
    try {
      await act()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** @param {unknown} error */
  #failed(error) {
    this.context.logger.error('connection failed', { connection: this.id, error: /** @type {Error} */ (error).stack })
    this.client.sendError('internal', 'something went wrong on the server')
  }

  /** @param {import('../voice-types.js').ErrorCode} code @param {string} message */
  #refuse(code, message) {
    this.client.sendError(code, message)
    this.client.close(POLICY_VIOLATION, code)
  }

  /** @param {{ isReceived?: boolean }} [sent] */
  #handleClose(sent) {
    clearTimeout(this.startTimer)
    this.context.release(this)
    this.#attempt(() => (this.call ?? this.#starting)?.leave(sent))
  }
}
