// What ends the model's speech and its pending answer before they are over: the user's voice or text, a note, or the provider.

export class Interruptions {
  #conversation
  #dropHeldCalls

  /** @param {import('./conversation.js').Conversation} conversation @param {() => void} dropHeldCalls */
  constructor(conversation, dropHeldCalls) {
    this.#conversation = conversation
    this.#dropHeldCalls = dropHeldCalls
  }

  /** The provider detected speech of the user. @param {string | null} utterance */
  byVoice(utterance) {
    const { turns, output, runner, bargeIn } = this.#conversation
    if (turns.owesAnswer) this.#interrupted(() => turns.cutOff())
    // The turn was complete and only its audio still played: the next turn begins with the next audio of the user.
    else if (output.remainingMs > 0) this.#interrupted()
    runner.speechDetected()
    bargeIn.speechDetected(utterance)
  }

  /** Words of the user are transcribed. */
  byWords() {
    const { link, output } = this.#conversation
    if (link.isDuplex && output.isAhead) this.#interrupted()
  }

  /** The user typed. */
  byText() {
    const { turns, output, link, bargeIn } = this.#conversation
    // The link stops the model if the provider does not detect the typed text itself.
    if ((turns.owesAnswer || output.remainingMs > 0) && link.bargeIn()) this.#cutOff()
    else bargeIn.typed()
  }

  /** A note is said instead. */
  byNote() {
    const { turns, link } = this.#conversation
    if (turns.owesAnswer && link.bargeIn()) this.#cutOff()
  }

  /** The provider detects speech and typed text itself and stopped the model. */
  byProvider() {
    const { turns, bargeIn } = this.#conversation
    const isTyped = turns.isOvertaken
    this.#interrupted(() => turns.interrupted())
    if (isTyped) bargeIn.confirm()
    else bargeIn.speechDetected(null)
  }

  /** The link itself stopped the model for a text. */
  #cutOff() {
    const { turns, bargeIn } = this.#conversation
    bargeIn.typed()
    this.#interrupted(() => turns.cutOff())
    bargeIn.confirm()
  }

  /** @param {() => void} [endTurn] */
  #interrupted(endTurn) {
    const { turns, output, bargeIn, answers, runner, confirmations, link, options } = this.#conversation
    const { heardMs, cuts } = output.stopped()
    // The gate's turn of a typed text has begun before the provider stops the model for it.
    bargeIn.interrupted(options.session.turn - (turns.isOvertaken ? 1 : 0))
    endTurn?.()
    answers.interrupted()
    this.#dropHeldCalls()
    runner.dropExpected()
    confirmations.hear('interrupted')
    link.truncate(cuts)
    output.interrupted(heardMs)
    options.earlier.queue.flush()
  }
}
