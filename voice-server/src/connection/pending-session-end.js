// Tracks a tool's request to end the voice session, in the session's state: at once, or after the model's farewell.
// Only reports when the end is due.

export class PendingSessionEnd {
  #due = false
  /** @type {NodeJS.Timeout | null} */
  #timer = null

  /**
   * @param {object} options
   * @param {import('toolgate').StateController} options.state
   * @param {number} options.farewellTimeoutMs maximum wait for the end of the model's turn
   * @param {() => void} options.onDue
   */
  constructor(options) {
    this.options = options
  }

  /** Called after answers were sent: the model's next turn is the last one. */
  answered() {
    const { state, farewellTimeoutMs, onDue } = this.options
    const pending = state.get('pendingEndVoiceSession')
    if (!pending || this.#due) return
    this.#due = true
    if (pending.after === 'immediately') return onDue()
    this.#timer = setTimeout(onDue, farewellTimeoutMs)
  }

  turnCompleted() {
    if (this.#due) this.options.onDue()
  }

  /** Returns the tool's request and resets the state for the next voice session. */
  take() {
    const { state } = this.options
    const pending = state.get('pendingEndVoiceSession')
    state.set('pendingEndVoiceSession', null)
    state.set('shouldSuppressTranscript', false)
    state.set('shouldSuppressAudio', false)
    return pending
  }

  stop() {
    clearTimeout(this.#timer ?? undefined)
  }
}
