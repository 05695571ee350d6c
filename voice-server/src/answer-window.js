// The window in which a spoken utterance counts as the answer to a read-back. It opens after the model got the
// read-back, completed its turn and the client played it. It closes when the model speaks again.

/** Audio is in transit in both directions; a yes that began within this time may answer something else. */
const MARGIN_MS = 300

export class AnswerWindow {
  #isReadBackSent = false
  /** @type {NodeJS.Timeout | null} */
  #timer = null
  /** Position in the user's audio from which an utterance counts. */
  #openedMs = Infinity
  /** Position from which an utterance answers something that the model said later. */
  #closedMs = Infinity

  /** @param {{ remainingMs(): number, inputMs(): number }} conversation audio not yet played, audio received, in ms */
  constructor(conversation) {
    this.conversation = conversation
  }

  get isReadBackSent() {
    return this.#isReadBackSent
  }

  readBackSent() {
    this.#isReadBackSent = true
    this.#reset()
  }

  /** The model's turn is complete; its audio may still be playing. */
  turnCompleted() {
    if (this.#isReadBackSent && this.#timer === null && this.#openedMs === Infinity) this.#waitForPlayback()
  }

  /** The client reported its playback position. */
  played() {
    if (this.#timer !== null && this.#openedMs === Infinity) this.#waitForPlayback()
  }

  modelSpoke() {
    if (this.#openedMs !== Infinity) this.#closedMs = Math.min(this.#closedMs, this.conversation.inputMs())
  }

  /** A barge-in before the window opened cancels it; afterwards the read-back has been heard. */
  interrupted() {
    if (this.#openedMs === Infinity) this.#reset()
  }

  /** @param {number | null} startMs of an utterance, in the user's audio */
  contains(startMs) {
    return startMs !== null && startMs >= this.#openedMs && startMs < this.#closedMs
  }

  stop() {
    clearTimeout(this.#timer ?? undefined)
    this.#timer = null
  }

  #waitForPlayback() {
    this.stop()
    const left = this.conversation.remainingMs()
    if (left > 0) this.#timer = setTimeout(() => this.#waitForPlayback(), Math.ceil(left))
    else this.#open()
  }

  /** Opens the window after the margin: in the user's audio, or in time if no audio arrives. */
  #open() {
    const { conversation } = this
    this.#openedMs = conversation.inputMs() + MARGIN_MS
    this.#timer = setTimeout(() => {
      this.#openedMs = Math.min(this.#openedMs, conversation.inputMs())
    }, MARGIN_MS)
  }

  #reset() {
    this.stop()
    this.#openedMs = Infinity
    this.#closedMs = Infinity
  }
}
