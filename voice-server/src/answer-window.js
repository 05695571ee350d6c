// When a read-back has been heard to its end: the model was given it, its turn came to its end, and what it said has been
// played. Only what the user began to say after that, and before the model spoke of anything else, can be an answer to it.

/** Sound is under way in both directions; a yes that began within this time may have been to something else. */
const MARGIN_MS = 300

export class ReadBackClock {
  #isTold = false
  #timer = null
  /** Where in the user's sound an answer may begin. */
  #answerFromMs = Infinity
  /** Where it is an answer to something that the model said later. */
  #answerToMs = Infinity

  /** @param {{ remainingMs(): number, inputMs(): number }} conversation what is left to be played, what was heard */
  constructor(conversation) {
    this.conversation = conversation
  }

  /** Whether the model has been given the text. */
  get isTold() {
    return this.#isTold
  }

  told() {
    this.#isTold = true
    this.#cut()
  }

  /** What the model said is all there; it may still be playing. */
  turnCompleted() {
    if (this.#isTold && this.#timer === null && this.#answerFromMs === Infinity) this.#wait()
  }

  /** The client has said how far it has played. */
  played() {
    if (this.#timer !== null && this.#answerFromMs === Infinity) this.#wait()
  }

  modelSpoke() {
    if (this.#answerFromMs !== Infinity) this.#answerToMs = Math.min(this.#answerToMs, this.conversation.inputMs())
  }

  /** The user broke in before its end, or after it: then it has been heard. */
  interrupted() {
    if (this.#answerFromMs === Infinity) this.#cut()
  }

  /** @param {number | null} startMs of an utterance */
  isAnsweredFrom(startMs) {
    return startMs !== null && startMs >= this.#answerFromMs && startMs < this.#answerToMs
  }

  stop() {
    clearTimeout(this.#timer)
    this.#timer = null
  }

  #wait() {
    this.stop()
    const left = this.conversation.remainingMs()
    if (left > 0) this.#timer = setTimeout(() => this.#wait(), Math.ceil(left))
    else this.#heard()
  }

  /** What comes from now on may answer it: after the margin in the user's sound, or in time where there is no sound. */
  #heard() {
    const { conversation } = this
    this.#answerFromMs = conversation.inputMs() + MARGIN_MS
    this.#timer = setTimeout(() => {
      this.#answerFromMs = Math.min(this.#answerFromMs, conversation.inputMs())
    }, MARGIN_MS)
  }

  #cut() {
    this.stop()
    this.#answerFromMs = Infinity
    this.#answerToMs = Infinity
  }
}
