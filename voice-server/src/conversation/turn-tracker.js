// Tracks when a user's turn begins and ends, from utterances and model messages. A turn is one utterance of the user
// and everything that the model does about it.

export class TurnTracker {
  #open
  /** The user typed while a turn was open: the next interruption concerns the older turn. */
  #overtaken = false
  /** The provider ends an interrupted turn with its own `turnComplete`, which must not end a newer turn. */
  #closingInterrupted = false
  /** The model speaks or is about to speak. */
  #owes = false
  /** Words of that answer came. */
  #hasBegun = false
  /** The server asked for words, which are no answer to the user. */
  #isAsked = false

  /** @param {{ open?: boolean }} [options] `open`: a turn of an earlier connection continues */
  constructor({ open = false } = {}) {
    this.#open = open
  }

  get isOpen() {
    return this.#open
  }

  /** Whether the next interruption concerns the turn before the user's last typed text. */
  get isOvertaken() {
    return this.#overtaken
  }

  /** Whether the model's answer in this turn is not complete. */
  get owesAnswer() {
    return this.#owes
  }

  /** Whether the user has heard a part of the answer that is not complete. */
  get isAnswerCut() {
    return this.#owes && this.#hasBegun
  }

  /** Typed text always begins a new turn. */
  typed() {
    this.#hasBegun = this.#isAsked = false
    this.#overtaken = this.#open
    this.#open = true
    this.#owes = true
  }

  /** The server asked the model to speak. */
  asked() {
    this.#owes = this.#isAsked = true
    this.#hasBegun = false
  }

  /** @returns {boolean} whether this audio begins a turn: it is the first after the last turn ended */
  heard() {
    const begins = !this.#open
    this.#open = true
    return begins
  }

  /** @returns {boolean} whether these calls begin a turn: they answer an utterance of which nothing else came */
  called() {
    return !this.#isAsked && this.heard()
  }

  /** The answer of this turn was lost with its connection, and is asked for with what the model gets next. */
  answerLost() {
    this.#owes = false
  }

  /** @param {boolean} [hasWords] false: only calls came */
  modelSpoke(hasWords = true) {
    this.#closingInterrupted = false
    this.#owes = true
    this.#hasBegun ||= hasWords
  }

  interrupted() {
    this.#closingInterrupted = true
    if (!this.#overtaken) this.#open = this.#owes = this.#hasBegun = this.#isAsked = false
    this.#overtaken = false
  }

  /** The server itself ended the turn: no `turnComplete` of the provider follows. */
  cutOff() {
    this.#open = this.#owes = this.#overtaken = this.#closingInterrupted = this.#hasBegun = this.#isAsked = false
  }

  /** @returns {boolean} false if it is the end of an interrupted turn */
  completed() {
    const isOwn = !this.#closingInterrupted
    if (isOwn) this.#open = this.#owes = this.#hasBegun = this.#isAsked = false
    this.#closingInterrupted = false
    return isOwn
  }
}
