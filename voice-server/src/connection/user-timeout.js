// A timeout that a tool has put the user in: until it ends, all input of the user is refused. It is part of the
// session's state, so that a reconnect does not end it.

/** How long a piece of audio is accepted by what was last read: another attachment of the session may set a timeout. */
const READ_EVERY_MS = 1000

export class UserTimeout {
  #isNotified = false
  #readAt = -Infinity

  /**
   * @param {import('toolgate').StateController} state of the session
   * @param {import('./client-socket.js').ClientSocket} client
   */
  constructor(state, client) {
    this.state = state
    this.client = client
  }

  /** @param {number} timeoutUntil epoch milliseconds */
  begin(timeoutUntil) {
    this.state.set('timeoutUntil', timeoutUntil)
    this.#readAt = -Infinity
  }

  get isActive() {
    return this.#until > Date.now()
  }

  /** Whether a text frame is refused. Each refused text gets an error frame. */
  refusesText() {
    return this.#refuses(true)
  }

  /** Whether a piece of audio is refused. Only the first refused piece gets an error frame. */
  refusesAudio() {
    const now = performance.now()
    if (!this.#isNotified && now - this.#readAt < READ_EVERY_MS) return false
    this.#readAt = now
    return this.#refuses(!this.#isNotified)
  }

  get #until() {
    return this.state.get('timeoutUntil') ?? 0
  }

  /** @param {boolean} notify */
  #refuses(notify) {
    const refused = this.isActive
    if (refused && notify) {
      const timeoutUntil = this.#until
      this.client.sendError('user_timeout', 'the user is in a timeout until `timeoutUntil`', { timeoutUntil })
    }
    this.#isNotified = refused
    return refused
  }
}
