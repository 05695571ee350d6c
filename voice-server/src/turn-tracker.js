// When a user's turn begins, seen from the stream of utterances and of the model's messages. A turn is one thing the
// user said and everything the model does about it.

export class TurnTracker {
  #open
  /** The user typed while a turn was open: an interruption that follows is about the older one. */
  #overtaken = false
  /** The provider closes an interrupted turn with a `turnComplete` of its own, which ends nothing newer. */
  #closingInterrupted = false
  /** The model is about to say something, or says it. */
  #owes = false

  /** @param {{ open?: boolean }} [options] `open`: a turn goes on that began on an earlier connection */
  constructor({ open = false } = {}) {
    this.#open = open
  }

  get isOpen() {
    return this.#open
  }

  /** Whether the model owes the user something in this turn. */
  get owesAnswer() {
    return this.#owes
  }

  /** Typed text is always a new turn. */
  typed() {
    this.#overtaken = this.#open
    this.#open = true
    this.#owes = true
  }

  /** The model was asked to speak, and not by the user's words. */
  asked() {
    this.#owes = true
  }

  /** @returns {boolean} whether this sound begins a turn: the first after the last one was over */
  heard() {
    const begins = !this.#open
    this.#open = true
    return begins
  }

  modelSpoke() {
    this.#closingInterrupted = false
    this.#owes = true
  }

  interrupted() {
    this.#closingInterrupted = true
    if (!this.#overtaken) this.#open = this.#owes = false
    this.#overtaken = false
  }

  /** The server itself ended the turn: no provider closes it. */
  cutOff() {
    this.#open = this.#owes = this.#overtaken = this.#closingInterrupted = false
  }

  completed() {
    if (!this.#closingInterrupted) this.#open = this.#owes = false
    this.#closingInterrupted = false
  }
}
