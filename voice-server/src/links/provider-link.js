// The provider-independent part of a conversation with a model: opens the connection, reconnects once if it is lost,
// and sends texts again that may have been lost. A subclass implements the provider's protocol.
//
// A subclass has `provider`, `handle` (for resuming the conversation; `null`: not resumable) and these members:
//   connect(handle, events)             → connection, once the model listens; `events`: onMessage, onClosed, onBadFrame
//   disconnect(connection)              closes it
//   makeTransport(connection)           → ToolTransport
//   writeText(texts), writeNote(text)   text of the user; note of the server; both request an answer
//   sendContext(text)                   context that requests no answer
//   sendAudio(pcm), sendAudioEnd()      PCM16, 16 kHz, mono
//   read(message)                       → ParsedMessage
//   bargeIn()                           → whether the link itself stopped the model for new input of the user
//   truncate(cuts)                      reports which audio of the model was not heard
//   answerLate(answer, transport)       → whether the model got the answer without an interruption
//   answerCancelled(answer, transport)  ends a call that changed nothing and whose turn is over
//   collectCalls(calls, message)        → the calls that can now run together
//   requestAnswer()                     requests the answer that a lost connection took with it
//   isSeeded, requestSeededAnswer()     whether a resumed conversation gets its transcript again; requests the answer then
//   repeatsCalls                        whether a resumed conversation repeats the unanswered calls
//   remember(entry)                     adds an entry that a resumed conversation must contain
//   inputMs, isUserSpeaking, unsentBytes

/**
 * @typedef {object} ParsedMessage the content of a message except for tool calls
 * @property {{ pcm: Buffer, item: string | null }[]} audio PCM16, 24 kHz; `item`: its id for `truncate`
 * @property {TranscriptPiece[]} pieces
 * @property {boolean} modelSpoke
 * @property {boolean} userSpoke the provider detected speech of the user and stops the model
 * @property {boolean} beginsTurn contains a transcript of the user, which begins a turn if none is open
 * @property {boolean} interrupted
 * @property {boolean} turnComplete
 * @property {boolean} resumable the conversation can be resumed in its present state
 * @property {boolean} goAway the service will close this connection soon
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

export class ProviderLink {
  #connection = null
  #transport = null
  #opening = null
  #retried = false
  #closed = false
  /** Messages that arrived before `release`; null afterwards. */
  #heldMessages = []
  /** Texts and notes sent since the model last spoke. A lost connection may have lost them. */
  #unacknowledged = []

  /**
   * @param {object} options
   * @param {unknown} options.handle of an earlier conversation to resume, or `null`
   * @param {number} options.connectTimeoutMs
   * @param {(message: object) => void} options.onMessage
   * @param {() => void} options.onReconnected
   * @param {(reason: string) => void} options.onLost the conversation is over: its connection was lost and not restored
   * @param {{ warn(message: string, fields?: object): void, info(message: string, fields?: object): void }}
   *   options.logger
   */
  constructor(options) {
    this.options = options
    this.handle = options.handle
  }

  get transport() {
    return this.#transport
  }

  /** Whether a text or note may not have reached the model. */
  get hasUnacknowledged() {
    return this.#unacknowledged.length > 0
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
      this.options.logger.warn('conversation could not be resumed, a new one begins', { error: error.message })
      this.handle = null
    }
  }

  /** Delivers the held messages; later messages are delivered directly. */
  release() {
    const held = this.#heldMessages
    this.#heldMessages = null
    for (const message of held) this.options.onMessage(message)
  }

  /** The model spoke: all texts have reached it, and the next connection loss may be retried. */
  modelSpoke() {
    this.#retried = false
    this.#unacknowledged = []
  }

  /** @param {(string | null)[]} texts one user turn; `null` is skipped */
  sendText(texts) {
    const said = texts.filter(text => text !== null)
    this.#write({ said })
  }

  /** @param {string} note of the server, for the model to speak about */
  sendNote(note) {
    this.#write({ note })
  }

  /** Reconnects before the service closes this connection. */
  renew() {
    if (this.handle === null || this.#connection === null) return
    const old = this.#connection
    this.#connectionLost('renewed')
    this.disconnect(old)
  }

  close() {
    this.#closed = true
    if (this.#connection !== null) this.disconnect(this.#connection)
    this.#connection = null
  }

  #write(entry) {
    this.#unacknowledged = [...this.#unacknowledged, entry].slice(-MAX_UNACKNOWLEDGED)
    if (this.#connection !== null) this.#send(entry)
  }

  #send(entry) {
    const { said, note } = entry
    entry.isSent = true
    if (note === undefined) this.writeText(said)
    else this.writeNote(note)
  }

  async #connect(handle) {
    const opening = {}
    this.#opening = opening
    const isCurrent = () => this.#opening === opening && !this.#closed
    const connection = await this.connect(handle, {
      onMessage: message => isCurrent() && this.#receive(message),
      onClosed: reason => isCurrent() && this.#connectionLost(reason),
      onBadFrame: problem => this.options.logger.warn('provider sent a bad frame', { problem }),
    })
    if (this.#closed) return this.disconnect(connection)
    this.#connection = connection
    this.#transport = this.makeTransport(connection)
  }

  #receive(message) {
    if (this.#heldMessages !== null) this.#heldMessages.push(message)
    else this.options.onMessage(message)
  }

  async #connectionLost(reason) {
    this.#connection = null
    const { logger, onLost, onReconnected } = this.options
    logger.warn('provider connection lost', { reason, resumable: this.handle !== null })
    if (this.handle === null || this.#retried) return onLost(reason)
    this.#retried = true
    this.#heldMessages = []
    try {
      await this.#connect(this.handle)
    } catch (error) {
      if (!this.#closed) onLost(error.message)
      return
    }
    if (this.#closed) return
    onReconnected()
    this.release()
    // A seeded conversation contains the entries that were already sent; only the answer must be requested.
    const unknown = this.#unacknowledged.filter(({ isSent }) => !(isSent && this.isSeeded))
    for (const entry of unknown) this.#send(entry)
    if (unknown.length === 0 && this.hasUnacknowledged) this.requestSeededAnswer()
  }
}
