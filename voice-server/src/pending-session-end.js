// When a tool has asked for the end of the voice session: at once, or after the model has said its farewell. Looks at
// the session's state; ends nothing itself.

export class VoiceEnding {
  #due = false
  #timer = null

  /**
   * @param {object} options
   * @param {import('toolgate').StateController} options.state
   * @param {number} options.farewellTimeoutMs a model that never completes its turn is not waited for longer
   * @param {() => void} options.onDue
   */
  constructor(options) {
    this.options = options
  }

  /** After answers went out: the model's turn that follows is the last one. */
  answered() {
    const { state, farewellTimeoutMs, onDue } = this.options
    const pending = state.get('pendingEndVoiceSession')
    if (!pending || this.#due) return
    this.#due = true
    if (pending.after === 'immediately') return onDue()
    this.#timer = setTimeout(onDue, farewellTimeoutMs)
  }

  /** The model's turn is over. */
  turnCompleted() {
    if (this.#due) this.options.onDue()
  }

  /** What the tool left behind, and the state as the next voice session should find it. */
  take() {
    const { state } = this.options
    const pending = state.get('pendingEndVoiceSession')
    state.set('pendingEndVoiceSession', null)
    state.set('shouldSuppressTranscript', false)
    state.set('shouldSuppressAudio', false)
    return pending
  }

  stop() {
    clearTimeout(this.#timer)
  }
}
