// The items of one conversation, in order, and the history that they make. Audio is not kept.

import { freshId } from '../draft.js'
import { jsonOrText } from '../parse-json.js'
import { eventError } from './parse-event.js'

const KEEP = 1000

/**
 * @typedef {object} Remembered
 * @property {object} [item] as clients see it; absent where a response merely began
 * @property {string} [response] the id of the response that made it, or began
 * @property {Partial<import('../scenario/next-step.js').Entry>} [heard] what an item of speech said
 * @property {number} [audioMs] length of the model's speech in it
 * @property {boolean} [isDropped] its response was cancelled
 */

export class Conversation {
  id = freshId('conv_')
  /** @type {Remembered[]} the newest 1000 */
  #remembered = []

  /**
   * @param {Remembered} entry
   * @param {string | null} [after] id of an item, or `root`; the end without
   * @returns {string | null} the id of the item before it
   * @throws {import('./parse-event.js').EventError}
   */
  add(entry, after) {
    if (this.find(entry.item.id) !== undefined) {
      throw eventError(`item \`${entry.item.id}\` exists already`, {
        param: 'item.id',
        code: 'item_create_duplicate_id',
      })
    }
    const at = this.#placeAfter(after)
    const before = this.#remembered.slice(0, at).findLast(({ item }) => item !== undefined)
    this.#insert(at, entry)
    return before?.item.id ?? null
  }

  #placeAfter(id) {
    if (id === undefined || id === null) return this.#remembered.length
    if (id === 'root') return 0
    return this.#remembered.indexOf(this.get(id, 'previous_item_id')) + 1
  }

  /** A response begins: what the user says from here on is another utterance. @param {string} response its id */
  noteResponse(response) {
    this.#insert(this.#remembered.length, { response })
  }

  #insert(at, entry) {
    this.#remembered.splice(at, 0, entry)
    if (this.#remembered.length > KEEP) this.#remembered.shift()
  }

  /** @param {string} id @returns {Remembered | undefined} */
  find(id) {
    return this.#remembered.find(({ item }) => item?.id === id)
  }

  /** @returns {Remembered} @throws {import('./parse-event.js').EventError} */
  get(id, param) {
    const found = this.find(id)
    if (found === undefined) throw eventError(`item with id \`${id}\` not found`, { param, code: 'invalid_item_id' })
    return found
  }

  /** @param {string} id @throws {import('./parse-event.js').EventError} */
  remove(id) {
    const found = this.get(id, 'item_id')
    this.#remembered = this.#remembered.filter(entry => entry !== found)
  }

  /** @param {string} callId @returns {{ call: object | undefined, answers: number }} */
  callOf(callId) {
    const items = this.#remembered.flatMap(({ item }) => (item?.call_id === callId ? [item] : []))
    return {
      call: items.find(({ type }) => type === 'function_call'),
      answers: items.filter(({ type }) => type === 'function_call_output').length,
    }
  }

  /** @returns {object[]} calls since the user's last words that wait for an answer */
  get openCalls() {
    const lastUser = this.#remembered.findLastIndex(({ item }) => item?.role === 'user')
    return this.#remembered
      .slice(lastUser + 1)
      .filter(
        ({ item, isDropped }) => item?.type === 'function_call' && item.status === 'completed' && isDropped !== true,
      )
      .map(({ item }) => item)
      .filter(item => this.callOf(item.call_id).answers === 0)
  }

  /**
   * @returns {import('../scenario/next-step.js').Entry[]} the calls of a response stand where it began: what the user said
   *   since then does not ask for them
   */
  get history() {
    const entries = []
    const begun = new Map()
    for (const { item, response, heard } of this.#remembered) {
      if (item === undefined) {
        begun.set(response, { kind: 'other' })
        entries.push(begun.get(response))
      } else if (item.type === 'function_call') {
        addCall(entries, begun.get(response), item)
      } else {
        entries.push(entryOf(item, heard))
      }
    }
    return entries
  }
}

/** @param {object | undefined} beginning of the response that made the call; absent where a client did */
function addCall(entries, beginning, { call_id: id, name }) {
  const last = entries.at(-1)
  const entry = beginning ?? (last?.kind === 'calls' ? last : { kind: 'other' })
  if (beginning === undefined && entry !== last) entries.push(entry)
  entry.kind = 'calls'
  entry.calls = [...(entry.calls ?? []), { id, name }]
}

function entryOf(item, heard) {
  if (item.type === 'function_call_output') return { kind: 'result', id: item.call_id, value: jsonOrText(item.output) }
  if (item.role !== 'user') return { kind: 'other' }
  const text = item.content.map(({ text: typed, transcript }) => typed ?? transcript ?? '').join('')
  return { kind: 'user', text, source: 'text', ...heard }
}
