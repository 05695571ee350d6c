// A pause that a tool has put the user in: until it is over nothing that they say is taken. It belongs to the session,
// so that a reconnect does not end it.

export class UserPause {
  #told = false

  /**
   * @param {import('toolgate').StateController} state of the session
   * @param {import('./browser-link.js').BrowserLink} browser
   */
  constructor(state, browser) {
    this.state = state
    this.browser = browser
  }

  /** @param {number} timeoutUntil epoch milliseconds */
  begin(timeoutUntil) {
    this.state.set('timeoutUntil', timeoutUntil)
  }

  get isOn() {
    return this.#until > Date.now()
  }

  /** Whether what came is refused. A text is told so each time. */
  refuses() {
    return this.#refuses(true)
  }

  /** The same for one of many pieces: an open microphone is told once. */
  refusesSound() {
    return this.#refuses(!this.#told)
  }

  get #until() {
    return this.state.get('timeoutUntil') ?? 0
  }

  #refuses(tell) {
    const refused = this.isOn
    if (refused && tell) {
      const timeoutUntil = this.#until
      this.browser.sendError('user_timeout', 'the user is not listened to until `timeoutUntil`', { timeoutUntil })
    }
    this.#told = refused
    return refused
  }
}
