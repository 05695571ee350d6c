// Which words of a model without receipts can be about what it was sent. What it says until its turn ends may be about what it
// had before: a lost connection then loses what was sent meanwhile, although the model has spoken since.

export class TurnReceipts {
  #number = 0
  /** The model speaks, or was asked to. */
  #isDue = false
  #isGiven = false

  /** The connection is another one: nothing is under way on it. */
  reset() {
    this.#isDue = this.#isGiven = false
    this.#number += 1
  }

  /**
   * The model is sent something that it will speak about.
   * @returns {string[]} what must come before its words can be about that
   */
  sent() {
    const keys = this.#isDue ? [this.#key] : []
    this.#isGiven ||= this.#isDue
    this.#isDue = true
    return keys
  }

  /**
   * @param {{ modelSpoke: boolean, hasCalls: boolean, isOver: boolean }} message `hasCalls`: the model goes on with their answers;
   *   `isOver`: its turn has ended
   * @returns {string[]} what came
   */
  heard({ modelSpoke, hasCalls, isOver }) {
    if (!hasCalls && !isOver) {
      this.#isDue ||= modelSpoke
      return []
    }
    const [key, isGiven] = [this.#key, this.#isGiven]
    this.reset()
    // What was sent meanwhile is what it speaks about next.
    this.#isDue = isGiven && isOver
    return isGiven ? [key] : []
  }

  get #key() {
    return `turn ${this.#number}`
  }
}
