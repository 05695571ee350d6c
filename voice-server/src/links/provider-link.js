// What every conversation with a model has, whoever provides it: it is opened, taken up once where it breaks, and nothing
// that was typed is lost on the way. How a provider is dialled and spoken to is its subclass's.
//
// A subclass brings `provider`, `handle` (where the conversation can be taken up; `null`: nowhere) and these methods:
//   dial(handle, events)     → connection, once the model listens; `events`: onMessage, onClosed, onBadFrame
//   hangUp(connection)       closes it
//   makeTransport(connection)
//   writeText(texts), writeNote(text)   what the user typed; what the server has to say; both want an answer
//   sendContext(text)        something to know, which asks for no answer
//   sendAudio(pcm), sendAudioEnd()      PCM16, 16 kHz, mono
//   read(message)            → Heard
//   breakIn()                → whether the link itself has stopped the model for what the user says now
//   truncate(cuts)           what of the model's voice was not heard
//   answerLate(answer, transport)       → whether the model could be told without breaking in
//   withdraw(answer, transport)         what was only read for a turn that is over
//   gather(calls, message)   → the calls that can now be run together
//   askAgain()               the model owes an answer that the connection took with it
//   isSeeded, askSeeded()    whether a conversation that is taken up is told again what was said, and how it is asked then
//   repeatsCalls             whether a conversation that is taken up repeats the calls that were not answered
//   remember(entry)          what a conversation that is taken up must know
//   inputMs, isUserSpeaking, unsentBytes

/**
 * @typedef {object} Heard what a message holds besides tool calls
 * @property {{ pcm: Buffer, item: string | null }[]} audio PCM16, 24 kHz; `item`: its name in `truncate`
 * @property {Piece[]} pieces of captions
 * @property {boolean} modelSpoke
 * @property {boolean} userSpoke the provider has heard the user begin to speak: the model stops for them
 * @property {boolean} beginsTurn words of the user have come, which begin a turn where none is open
 * @property {boolean} interrupted
 * @property {boolean} turnComplete
 * @property {boolean} resumable the conversation can now be taken up as it is
 * @property {boolean} goAway the service will close this connection soon
 */

/**
 * @typedef {object} Piece of a caption
 * @property {'input' | 'output'} direction
 * @property {string | null} key of the utterance; `null`: the one that is open
 * @property {string} text
 * @property {boolean} final
 * @property {number | null} [startMs] where in the user's sound a final `input` began, see `inputMs`
 */

const UNHEARD_KEPT = 20

export class ProviderLink {
  #connection = null
  #transport = null
  #opening = null
  #retried = false
  #closed = false
  /** Messages of a connection that is not announced yet. */
  #early = []
  /** What was written since the model last spoke. A connection that breaks may have lost it. */
  #unheard = []

  /**
   * @param {object} options
   * @param {unknown} options.handle where an earlier conversation can be taken up, or `null`
   * @param {number} options.connectTimeoutMs
   * @param {(message: object) => void} options.onMessage
   * @param {() => void} options.onReconnected
   * @param {(reason: string) => void} options.onLost the conversation is over: it broke and could not be taken up
   * @param {{ warn(message: string, fields?: object): void, info(message: string, fields?: object): void }} options.logger
   */
  constructor(options) {
    this.options = options
    this.handle = options.handle
  }

  get transport() {
    return this.#transport
  }

  /** Whether something written may not have reached the model. */
  get hasUnheard() {
    return this.#unheard.length > 0
  }

  /** `null` while there is none. */
  get connection() {
    return this.#connection
  }

  /**
   * Resolves once the model listens; rejects where it cannot be reached. A conversation that cannot be taken up begins
   * anew: `handle` is null then. Messages wait for `release`.
   */
  async open() {
    try {
      await this.#connect(this.handle)
    } catch (error) {
      if (this.handle === null || this.#closed) throw error
      this.#early = []
      await this.#connect(null)
      this.options.logger.warn('conversation could not be taken up, begins anew', { error: error.message })
      this.handle = null
    }
  }

  /** Hands over what came while the connection was opened; what comes from now on goes straight through. */
  release() {
    const early = this.#early
    this.#early = null
    for (const message of early) this.options.onMessage(message)
  }

  /** The model has spoken: what was written has reached it, and the next break is a new one. */
  modelSpoke() {
    this.#retried = false
    this.#unheard = []
  }

  /** @param {(string | null)[]} texts one user turn; `null` is left out */
  sendText(texts) {
    const said = texts.filter(text => text !== null)
    this.#write({ said })
  }

  /** @param {string} note from the server, for the model to speak about */
  sendNote(note) {
    this.#write({ note })
  }

  /** Goes over to a new connection before the service closes this one. */
  renew() {
    if (this.handle === null || this.#connection === null) return
    const old = this.#connection
    this.#broke('renewed')
    this.hangUp(old)
  }

  close() {
    this.#closed = true
    if (this.#connection !== null) this.hangUp(this.#connection)
    this.#connection = null
  }

  #write(entry) {
    this.#unheard = [...this.#unheard, entry].slice(-UNHEARD_KEPT)
    if (this.#connection !== null) this.#put(entry)
  }

  #put(entry) {
    const { said, note } = entry
    entry.isPut = true
    if (note === undefined) this.writeText(said)
    else this.writeNote(note)
  }

  async #connect(handle) {
    const opening = {}
    this.#opening = opening
    const isCurrent = () => this.#opening === opening && !this.#closed
    const connection = await this.dial(handle, {
      onMessage: message => isCurrent() && this.#receive(message),
      onClosed: reason => isCurrent() && this.#broke(reason),
      onBadFrame: problem => this.options.logger.warn('provider sent a bad frame', { problem }),
    })
    if (this.#closed) return this.hangUp(connection)
    this.#connection = connection
    this.#transport = this.makeTransport(connection)
  }

  #receive(message) {
    if (this.#early !== null) this.#early.push(message)
    else this.options.onMessage(message)
  }

  async #broke(reason) {
    this.#connection = null
    const { logger, onLost, onReconnected } = this.options
    logger.warn('provider connection lost', { reason, resumable: this.handle !== null })
    if (this.handle === null || this.#retried) return onLost(reason)
    this.#retried = true
    this.#early = []
    try {
      await this.#connect(this.handle)
    } catch (error) {
      if (!this.#closed) onLost(error.message)
      return
    }
    if (this.#closed) return
    onReconnected()
    this.release()
    // What a conversation was seeded with it has heard; it has only not been asked.
    const unknown = this.#unheard.filter(({ isPut }) => !(isPut && this.isSeeded))
    for (const entry of unknown) this.#put(entry)
    if (unknown.length === 0 && this.hasUnheard) this.askSeeded()
  }
}
