'use strict'
// Arguments that came in events before their item was done. Servers label such an event with its response, its item, its place in
// the output and its call, or with some of these.
const { argumentsText, idOf } = require('../shared/frame-reading.js')
const { MAX_ARGUMENTS_LENGTH } = require('../shared/message-limits.js')

/** The most texts that are kept, of all responses. */
const MAX_TEXTS = 128

/**
 * @typedef {import('../shared/event-object.js').Message} Message
 * @typedef {{ itemId: string | null, callId: string | null, place: number | null }} Labels
 * @typedef {Labels & { owner: object, text: string, isWhole: boolean, isLost: boolean }} Text
 */

class RealtimeArguments {
  /** @type {Text[]} */
  #texts = []
  /** Responses of which a text was forgotten: no item of them is taken for one without arguments. @type {WeakSet<object>} */
  #incomplete = new WeakSet()

  /** @param {object} owner its response @param {Message} event */
  add(owner, event) {
    const labels = labelsOf(event, event.item_id, event.call_id)
    const found = this.#find(owner, labels)
    // A piece that fits two texts makes both unclear.
    if (found.length > 1) for (const text of found) text.isLost = true
    else append(found[0] ?? this.#begin(owner, labels), event)
  }

  /**
   * The arguments of an item that has none itself.
   * @param {object} owner its response
   * @param {Message} event
   * @param {Message} item
   * @returns {string | null} `null` if it is not clear which they are
   */
  take(owner, event, item) {
    const labels = labelsOf(event, item.id, item.call_id)
    const found = this.#find(owner, labels)
    const [text] = found
    if (found.length > 1 || text?.isLost) return null
    // A text that nothing took, of the response or of the item, may be of this call.
    const mayBe = (/** @type {Text} */ other) =>
      other.owner === owner || (other.itemId !== null && other.itemId === labels.itemId)
    if (text === undefined) return this.#incomplete.has(owner) || this.#texts.some(mayBe) ? null : ''
    this.#texts.splice(this.#texts.indexOf(text), 1)
    return text.text
  }

  /** Forgets the arguments of an item that has them itself. @param {object} owner @param {Message} event @param {Message} item */
  forget(owner, event, item) {
    const found = this.#find(owner, labelsOf(event, item.id, item.call_id))
    if (found.length === 1) this.#texts.splice(this.#texts.indexOf(found[0]), 1)
  }

  /** A response is over. @param {object} owner */
  drop(owner) {
    this.#texts = this.#texts.filter(text => text.owner !== owner)
  }

  /** The texts that no label contradicts, and one confirms. @param {object} owner @param {Labels} labels */
  #find(owner, labels) {
    return this.#texts.filter(text => text.owner === owner && isSame(text, labels))
  }

  /** @param {object} owner @param {Labels} labels @returns {Text} */
  #begin(owner, labels) {
    const text = { ...labels, owner, text: '', isWhole: false, isLost: false }
    this.#texts.push(text)
    if (this.#texts.length > MAX_TEXTS) {
      const [oldest] = this.#texts.splice(0, 1)
      this.#incomplete.add(oldest.owner)
    }
    return text
  }
}

/** @param {Text} text @param {Message} event */
function append(text, { delta, arguments: whole }) {
  if (text.isLost || (text.isWhole && delta !== undefined)) return
  text.text = delta === undefined ? argumentsText(whole) : text.text + argumentsText(delta)
  text.isWhole = delta === undefined
  if (text.text.length > MAX_ARGUMENTS_LENGTH) Object.assign(text, { text: '', isLost: true })
}

/** @param {Message} event @param {unknown} itemId @param {unknown} callId @returns {Labels} */
const labelsOf = ({ output_index: place }, itemId, callId) => ({
  itemId: idOf(itemId),
  callId: idOf(callId),
  place: typeof place === 'number' ? place : null,
})

const NAMES = /** @type {const} */ (['itemId', 'callId', 'place'])

/** @param {Labels} one @param {Labels} other */
function isSame(one, other) {
  let isConfirmed = false
  for (const name of NAMES) {
    if (one[name] === null || other[name] === null) continue
    if (one[name] !== other[name]) return false
    isConfirmed = true
  }
  return isConfirmed
}

module.exports = { RealtimeArguments }
