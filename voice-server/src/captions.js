// Pieces of what was heard and said → captions: which utterance a piece belongs to, and what an utterance said when it is over.

const OPEN_KEPT = 32

export class Captions {
  /** Direction and the provider's key → what is open. */
  #open = new Map()
  #count = 0

  /**
   * @param {import('./links/provider-link.js').Piece} piece
   * @returns {{ frame: object, whole: string | null } | null} `whole`: what the utterance said, where this ends it; `null` for
   *   the end of what never began
   */
  add({ direction, key, text, final }) {
    const name = `${direction}:${key ?? ''}`
    if (!this.#open.has(name) && text === '') return null
    const utterance = this.#open.get(name) ?? this.#begin(name, direction)
    utterance.text += text
    if (final) this.#open.delete(name)
    const frame = { type: 'transcript', direction, utterance: utterance.id, text, final }
    return { frame, whole: final ? utterance.text : null }
  }

  /** Nothing more is said of these. @param {'input' | 'output'} direction @returns {object[]} the frames that say so */
  close(direction) {
    const ended = [...this.#open].filter(([, utterance]) => utterance.direction === direction)
    return ended.map(([name, { id }]) => {
      this.#open.delete(name)
      return { type: 'transcript', direction, utterance: id, text: '', final: true }
    })
  }

  #begin(name, direction) {
    const utterance = { id: `${direction[0]}${(this.#count += 1)}`, direction, text: '' }
    this.#open.set(name, utterance)
    if (this.#open.size > OPEN_KEPT) this.#open.delete(this.#open.keys().next().value)
    return utterance
  }
}
