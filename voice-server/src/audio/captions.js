// Assembles transcript pieces into captions: assigns each piece to its utterance and returns the whole utterance at its
// end.

const OPEN_KEPT = 32
/** Of an utterance that is returned: one without an end must not grow for ever. */
const MOST_CHARACTERS = 8000

/** @typedef {Omit<import('../voice-types.js').TranscriptFrame, 'turn'>} Piece what the client gets, without the turn */

export class Captions {
  /**
   * Direction and the provider's key → open utterance.
   * @type {Map<string, { id: string, direction: string, text: string }>}
   */
  #open = new Map()
  #count = 0

  /**
   * @param {import('../providers/provider-link.js').TranscriptPiece} piece
   * @returns {{ frame: Piece, whole: string | null } | null} `whole`: the text of the
   *   utterance if this piece ends it; `null` for the end of an utterance that never began
   */
  add({ direction, key, text, final }) {
    const name = `${direction}:${key ?? ''}`
    if (!this.#open.has(name) && text === '') return null
    const utterance = this.#open.get(name) ?? this.#begin(name, direction)
    utterance.text = (utterance.text + text).slice(0, MOST_CHARACTERS)
    if (final) this.#open.delete(name)
    /** @type {Piece} */
    const frame = { type: 'transcript', direction, utterance: utterance.id, text, final }
    return { frame, whole: final ? utterance.text : null }
  }

  /**
   * Ends all open utterances of a direction.
   *
   * @param {'input' | 'output'} direction
   * @returns {Piece[]} their final frames
   */
  close(direction) {
    const ended = [...this.#open].filter(([, utterance]) => utterance.direction === direction)
    return ended.map(([name, { id }]) => {
      this.#open.delete(name)
      return { type: 'transcript', direction, utterance: id, text: '', final: true }
    })
  }

  /** @param {string} name @param {'input' | 'output'} direction */
  #begin(name, direction) {
    const utterance = { id: `${direction[0]}${(this.#count += 1)}`, direction, text: '' }
    this.#open.set(name, utterance)
    if (this.#open.size > OPEN_KEPT) this.#open.delete(/** @type {string} */ (this.#open.keys().next().value))
    return utterance
  }
}
