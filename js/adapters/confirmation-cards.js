'use strict'

// Confirmations as a framework shows them to its user: one card for equal calls of a model's message, and a nonce that
// only a reply to this card can carry.

const { createHash } = require('node:crypto')
const { canonicalJson } = require('../values/canonical-json.js')

/** Messages whose cards are kept by name: tools can serve many conversations. */
const MAX_NAMED = 100

/**
 * @typedef {{ id: string, name: string, args?: unknown }} CardCall
 * @typedef {{ owners: Map<string, string>, calls: Map<string, string> }} Cards `owners`: token → id of the call that has the
 *   card; `calls`: id → the call
 */

class ConfirmationCards {
  /** @type {WeakMap<object, Cards>} */
  #byObject = new WeakMap()
  /** The most recently made last. @type {Map<string, Cards>} */
  #byName = new Map()

  /**
   * The id of the different call that has this id in the message already, or undefined. Asked about, an approval of one
   * could run the other: frameworks keep approvals by call id.
   * @param {object | string | undefined} message the model's message, or what stands for it
   * @param {CardCall} call
   */
  hasOther(message, call) {
    const { calls } = this.#of(message)
    const text = callText(call)
    const known = calls.get(call.id)
    if (known === undefined) calls.set(call.id, text)
    return known !== undefined && known !== text
  }

  /**
   * The id of the call that has the card of this question: the first call of the message that asked it.
   * @param {object | string | undefined} message
   * @param {string} token
   * @param {string} id of the call that asks now
   */
  ownerOf(message, token, id) {
    const { owners } = this.#of(message)
    const owner = owners.get(token)
    if (owner === undefined) owners.set(token, id)
    return owner ?? id
  }

  /** @param {object | string | undefined} message @returns {Cards} */
  #of(message) {
    const known = typeof message === 'string' ? this.#byName.get(message) : message && this.#byObject.get(message)
    if (known !== undefined) return known
    /** @type {Cards} */
    const cards = { owners: new Map(), calls: new Map() }
    if (typeof message === 'object') this.#byObject.set(message, cards)
    if (typeof message === 'string') {
      this.#byName.set(message, cards)
      if (this.#byName.size > MAX_NAMED) this.#byName.delete(/** @type {string} */ (this.#byName.keys().next().value))
    }
    return cards
  }
}

/**
 * What makes two calls the same: the tool and the canonical arguments, or their text if they are not JSON.
 * @param {{ name: string, args?: unknown }} call
 */
function callText({ name, args }) {
  try {
    return JSON.stringify([name, canonicalJson(args === undefined || args === '' ? {} : args)])
  } catch {
    return JSON.stringify([name, null, String(args)])
  }
}

/**
 * The nonce of a call's card. It goes out with the confirmation, and its reply carries it: a model that writes a reply
 * into its call can't know it, and it grants nothing but this call. It is derived from the token, so that it survives a
 * restart, and does not reveal it.
 * @param {string} token
 * @param {string} callId
 */
const nonceOf = (token, callId) =>
  createHash('sha256')
    .update(JSON.stringify(['toolgate confirmation', token, callId]))
    .digest('hex')
    .slice(0, 32)

module.exports = { ConfirmationCards, callText, nonceOf }
