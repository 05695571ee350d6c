// The provider-independent part of a conversation with a model: opens the connection, reconnects once if it is lost,
// and sends texts of the user again that may have been lost. A subclass implements the provider's protocol.
//
// A subclass has `handle` (for resuming the conversation; `null`: not resumable) and the members of LinkProtocol.

/**
 * @typedef {object} ParsedMessage the content of a message except for tool calls
 * @property {{ pcm: Buffer, item: string | null }[]} audio PCM16, 24 kHz; `item`: its id for `truncate`
 * @property {TranscriptPiece[]} pieces
 * @property {boolean} modelSpoke
 * @property {boolean} userSpoke the provider detected speech of the user and stops the model
 * @property {string | null} utterance its key in the transcript, if it has one
 * @property {boolean} speechStopped the provider detected the end of the user's speech
 * @property {boolean} beginsTurn contains a transcript of the user, which begins a turn if none is open
 * @property {boolean} userStopped the user has said something that the model will answer
 * @property {{ why: string, isRetried: boolean } | null} problem of an answer that failed or was cut; `isRetried`: it had not
 *   begun, so it is asked for again
 * @property {boolean} interrupted
 * @property {boolean} turnComplete
 * @property {boolean} resumable the conversation can be resumed in its present state
 * @property {string[]} receipts keys of what the server sent and the provider has taken, see `sendAnswers`
 * @property {string[]} refused keys of what it has refused
 * @property {boolean} [isSilent] it says nothing of the model: such messages come all the time
 * @property {number | null} goAwayMs after that time the service will close this connection; null: not announced
 */

/**
 * @typedef {object} TranscriptPiece part of an utterance's transcript
 * @property {'input' | 'output'} direction
 * @property {string | null} key of the utterance; `null`: the open one
 * @property {string} text
 * @property {boolean} final
 * @property {number | null} [startMs] start of a final `input` in the user's audio, see `inputMs`
 */

const MAX_UNACKNOWLEDGED = 20
/** A connection that is left and does not close in this time is not waited for. */
const LEAVING_MS = 1000

/** @typedef {Record<string, unknown>} Members of an event; unchecked */
/** @typedef {{ said: string[], isSent?: boolean, receipts?: Set<string> }} UserText a text of the user; `receipts`: what must come before
 *   words of the model can be about it */

/**
 * @template Connection
 * @template {import('../voice-types.js').VoiceTransport} Transport
 * @template Handle
 * @template {import('../voice-types.js').LinkOptions<Handle>} Options
 */
export class ProviderLink {
  /** @type {Connection | null} */
  #connection = null
  /** @type {Transport | null} */
  #transport = null
  /** @type {object | null} */
  #opening = null
  /** The connection has closed. @type {Promise<void>} */
  #whenClosed = Promise.resolve()
  /** The connection that was left has closed, or is not waited for any longer. @type {Promise<void>} */
  whenLeft = Promise.resolve()
  #retried = false
  #closed = false
  /** Messages that arrived before `release`; null afterwards. @type {object[] | null} */
  #heldMessages = []
  /** What a call came on, as long as its connection is open. @type {import('../voice-types.js').Channel | null} */
  #channel = null
  /** Texts sent since the model last spoke. A lost connection may have lost them. @type {UserText[]} */
  #unacknowledged = []

  /** @param {Options} options */
  constructor(options) {
    this.options = options
    this.handle = options.handle
  }

  /** The members of the subclass. */
  get #protocol() {
    return /** @type {import('../voice-types.js').LinkProtocol<Connection, Transport, Handle>} */ (
      /** @type {unknown} */ (this)
    )
  }

  get transport() {
    return this.#transport
  }

  /** Whether a text may not have reached the model. */
  get hasUnacknowledged() {
    return this.#unacknowledged.length > 0
  }

  /** The connection as what awaits the answers to its calls; `null` while not connected. */
  get channel() {
    return this.#channel
  }

  /** Texts that the model's next words answer. */
  get answerable() {
    return this.#unacknowledged.filter(isAnswerable).map(({ said }) => said.join('\n'))
  }

  /** `null` while not connected. */
  get connection() {
    return this.#connection
  }

  /**
   * Resolves once the model listens; rejects if it cannot be reached. A conversation that cannot be resumed begins
   * anew:
   * `handle` is null then. Messages are held until `release`.
   */
  async open() {
    try {
      await this.#connect(this.handle)
    } catch (error) {
      if (this.handle === null || this.#closed) throw error
      this.#heldMessages = []
      await this.#connect(null)
      // A link that begins each conversation with its own memory keeps that.
      if (this.#protocol.sendHistory === undefined) return
      this.#protocol.sendHistory()
      this.options.logger.warn('conversation could not be resumed, a new one begins', {
        error: /** @type {Error} */ (error).message,
      })
      this.handle = null
    }
  }

  /** Delivers the held messages; later messages are delivered directly. */
  release() {
    const held = this.#heldMessages
    this.#heldMessages = null
    for (const message of held ?? []) this.options.onMessage(message)
  }

  /** The model spoke: texts have reached it, and the next connection loss may be retried. */
  modelSpoke() {
    this.#retried = false
    this.#unacknowledged = this.#unacknowledged.filter(entry => !isAnswerable(entry))
  }

  /** @param {string[]} receipts that came @returns {boolean} whether the model speaks next about a text that waited for them */
  received(receipts) {
    const waiting = this.#unacknowledged.filter(entry => !isAnswerable(entry))
    for (const entry of waiting) for (const key of receipts) entry.receipts?.delete(key)
    return waiting.some(isAnswerable)
  }

  /** @param {(string | null)[]} texts one user turn; `null` is skipped */
  sendText(texts) {
    const said = texts.filter(text => text !== null)
    this.#write({ said })
  }

  /** Reconnects before the service closes this connection. What still comes on it is heard. */
  renew() {
    if (this.handle !== null) this.#leave('renewed', true)
  }

  /** Replaces a connection on which nothing comes any more. */
  restart() {
    this.#opening = null
    this.#leave('silent while an answer was due', false)
  }

  close() {
    this.#closed = true
    if (this.#connection !== null) this.#disconnect(this.#connection)
    this.#connection = this.#channel = null
  }

  /** @param {UserText} entry */
  #write(entry) {
    this.#unacknowledged = [...this.#unacknowledged, entry].slice(-MAX_UNACKNOWLEDGED)
    if (this.#connection !== null) this.#send(entry)
  }

  /** @param {UserText} entry */
  #send(entry) {
    entry.isSent = true
    entry.receipts = new Set(this.#protocol.writeText(entry.said) ?? [])
  }

  /**
   * Closes the connection, and opens the next one after it: a service may refuse a second one of the same conversation. What is sent
   * meanwhile waits.
   * @param {string} reason
   * @param {boolean} isPlanned
   */
  async #leave(reason, isPlanned) {
    const old = this.#connection
    if (old === null) return
    this.#connection = null
    this.#transport?.detach?.()
    this.#disconnect(old)
    await this.whenLeft
    if (!this.#closed) await this.#connectionLost(reason, isPlanned)
  }

  /** @param {Connection} connection the present one */
  #disconnect(connection) {
    this.#protocol.disconnect(connection)
    this.whenLeft = new Promise(resolve => {
      const timer = setTimeout(resolve, LEAVING_MS)
      this.#whenClosed.then(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** @param {Handle | null} handle */
  async #connect(handle) {
    const opening = {}
    this.#opening = opening
    /** @type {() => void} */
    let closed = () => {}
    const whenClosed = /** @type {Promise<void>} */ (new Promise(resolve => (closed = resolve)))
    const isCurrent = () => this.#opening === opening && !this.#closed
    const connection = await this.#protocol.connect(handle, {
      onMessage: message => isCurrent() && this.#receive(message),
      onClosed: reason => {
        closed()
        // One that was left has its successor under way.
        if (isCurrent() && this.#connection !== null) this.#connectionLost(reason)
      },
      onBadFrame: problem => this.options.logger.warn('provider sent a bad frame', { problem }),
    })
    if (this.#closed) return this.#protocol.disconnect(connection)
    this.#connection = connection
    this.#whenClosed = whenClosed
    this.#transport = this.#protocol.makeTransport(connection, handle === null ? null : this.#transport)
    this.#channel = { transport: this.#transport }
  }

  /** A conversation that cannot be resumed goes on in a new one with its history, if the link has kept that. */
  async #beginAnew() {
    if (this.#closed || this.#protocol.sendHistory === undefined) return false
    this.#heldMessages = []
    try {
      await this.#connect(null)
    } catch {
      return false
    }
    this.options.logger.warn('conversation could not be resumed, a new one begins with its history')
    this.handle = null
    if (!this.#closed) this.#protocol.sendHistory()
    return true
  }

  /** @param {object} message */
  #receive(message) {
    if (this.#heldMessages !== null) this.#heldMessages.push(message)
    else this.options.onMessage(message)
  }

  /** @param {string} reason @param {boolean} [isPlanned] the connection was no failure */
  async #connectionLost(reason, isPlanned = false) {
    this.#connection = this.#channel = null
    this.#transport?.detach?.()
    const { logger, onLost, onReconnected } = this.options
    logger.warn('provider connection lost', { reason, resumable: this.handle !== null })
    if (this.handle === null || (this.#retried && !isPlanned)) return onLost(reason)
    this.#retried ||= !isPlanned
    this.#heldMessages = []
    try {
      await this.#connect(this.handle)
    } catch (error) {
      const hasBegun = await this.#beginAnew()
      if (!hasBegun && !this.#closed) onLost(/** @type {Error} */ (error).message)
      if (!hasBegun) return
    }
    if (this.#closed) return
    onReconnected()
    this.release()
    // A seeded conversation contains the entries that were already sent; only the answer must be requested.
    const unknown = this.#unacknowledged.filter(({ isSent }) => !(isSent && this.#protocol.isSeeded))
    for (const entry of unknown) this.#send(entry)
    if (unknown.length === 0 && this.hasUnacknowledged) this.#protocol.requestSeededAnswer?.()
  }
}

/** @param {UserText} entry */
function isAnswerable({ isSent, receipts }) {
  return isSent === true && (receipts === undefined || receipts.size === 0)
}
