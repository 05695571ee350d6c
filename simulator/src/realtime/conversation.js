// The items of one conversation, in order, and the history derived from them. Audio is not kept.

import { freshId } from '../answer-builder.js'
import { joinedTexts } from '../content-text.js'
import { jsonOrText } from '../parse-json.js'
import { eventError } from './parse-event.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { HistoryCall, HistoryEntry, UserEntry } from '../scenario/next-step.js'
 */

const MAX_ENTRIES = 1000

/**
 * @typedef {ItemEntry | { item?: undefined, response: string }} ConversationEntry an item, or the start of a response
 *
 * @typedef {object} ItemEntry
 * @property {JsonObject} item as sent to clients
 * @property {string} [response] id of the response that made the item
 * @property {Partial<UserEntry>} [speech] content of a speech item
 * @property {number} [audioMs] duration of the model's speech in the item
 * @property {boolean} [isDropped] its response was cancelled
 *
 * @typedef {{ kind: 'other' | 'calls', calls?: HistoryCall[] }} ResponseStart the history entry of a response: `calls`
 *   from its first call on
 */

export class RealtimeConversation {
  /** `null`: of a response outside of the conversation */
  id
  /** @type {ConversationEntry[]} the newest 1000 */
  #entries = []

  /** @param {{ id?: string | null, entries?: ConversationEntry[] }} [options] */
  constructor({ id = freshId('conv_'), entries = [] } = {}) {
    this.id = id
    this.#entries = entries
  }

  /**
   * The items of a response that has an input of its own, or leaves none in this conversation.
   * @param {{ input?: JsonObject[], conversation?: 'auto' | 'none' }} config
   * @returns {RealtimeConversation} what the response reads
   */
  readBy({ input, conversation }) {
    if (input === undefined && conversation !== 'none') return this
    const entries = input?.map(item => ({ item })) ?? [...this.#entries]
    return new RealtimeConversation({ id: null, entries })
  }

  /**
   * @param {ItemEntry} entry
   * @param {string | null} [after] id of an item, or `root`; the end without
   * @returns {string | null} the id of the preceding item
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
    const before = this.#entries.slice(0, at).findLast(({ item }) => item !== undefined)
    this.#insert(at, entry)
    return before?.item?.id ?? null
  }

  /** @param {string | null | undefined} id */
  #placeAfter(id) {
    if (id === undefined || id === null) return this.#entries.length
    if (id === 'root') return 0
    return this.#entries.indexOf(this.get(id, 'previous_item_id')) + 1
  }

  /** Marks the start of a response: later user items are a new utterance. @param {string} response its id */
  addResponseStart(response) {
    this.#insert(this.#entries.length, { response })
  }

  /** @param {number} at @param {ConversationEntry} entry */
  #insert(at, entry) {
    this.#entries.splice(at, 0, entry)
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift()
  }

  /** @param {string} id @returns {ItemEntry | undefined} */
  find(id) {
    const found = this.#entries.find(({ item }) => item?.id === id)
    return found !== undefined && isItemEntry(found) ? found : undefined
  }

  /**
   * @param {string} id
   * @param {string} param path of the id
   * @returns {ItemEntry}
   * @throws {import('./parse-event.js').EventError}
   */
  get(id, param) {
    const found = this.find(id)
    if (found === undefined) throw eventError(`item with id \`${id}\` not found`, { param, code: 'invalid_item_id' })
    return found
  }

  /** @param {string} id @throws {import('./parse-event.js').EventError} */
  remove(id) {
    const found = this.get(id, 'item_id')
    this.#entries = this.#entries.filter(entry => entry !== found)
  }

  /** @param {string} callId @returns {{ call: JsonObject | undefined, answers: number }} */
  callOf(callId) {
    const items = this.#entries.flatMap(({ item }) => (item?.call_id === callId ? [item] : []))
    return {
      call: items.find(({ type }) => type === 'function_call'),
      answers: items.filter(({ type }) => type === 'function_call_output').length,
    }
  }

  /** @returns {JsonObject[]} calls since the user's last utterance that have no answer */
  get openCalls() {
    const lastUser = this.#entries.findLastIndex(({ item }) => item?.role === 'user')
    return this.#entries
      .slice(lastUser + 1)
      .filter(isItemEntry)
      .filter(
        ({ item, isDropped }) => item.type === 'function_call' && item.status === 'completed' && isDropped !== true,
      )
      .map(({ item }) => item)
      .filter(item => this.callOf(item.call_id).answers === 0)
  }

  /**
   * @returns {HistoryEntry[]} with the calls of a response at its start, because
   *   user items after the start did not cause them
   */
  get history() {
    /** @type {(HistoryEntry | ResponseStart)[]} */
    const entries = []
    /** @type {Map<string | undefined, ResponseStart>} */
    const begun = new Map()
    for (const entry of this.#entries) {
      if (entry.item === undefined) {
        /** @type {ResponseStart} */
        const start = { kind: 'other' }
        begun.set(entry.response, start)
        entries.push(start)
      } else if (entry.item.type === 'function_call') {
        addCall(entries, begun.get(entry.response), entry.item)
      } else {
        entries.push(entryOf(entry.item, entry.speech))
      }
    }
    return /** @type {HistoryEntry[]} */ (entries)
  }
}

/** @param {ConversationEntry} entry @returns {entry is ItemEntry} */
function isItemEntry(entry) {
  return entry.item !== undefined
}

/**
 * @param {(HistoryEntry | ResponseStart)[]} entries
 * @param {ResponseStart | undefined} beginning of the response that made the call; undefined if a client added the call
 * @param {JsonObject} item
 */
function addCall(entries, beginning, { call_id: id, name }) {
  const last = entries.at(-1)
  /** @type {ResponseStart} */
  const entry = beginning ?? (last?.kind === 'calls' ? last : { kind: 'other' })
  if (beginning === undefined && entry !== last) entries.push(entry)
  entry.kind = 'calls'
  entry.calls = [...(entry.calls ?? []), { id, name }]
}

/** @param {JsonObject} item @param {Partial<UserEntry> | undefined} speech @returns {HistoryEntry} */
function entryOf(item, speech) {
  if (item.type === 'function_call_output') return { kind: 'result', id: item.call_id, value: jsonOrText(item.output) }
  if (item.role !== 'user') return { kind: 'other' }
  /** @type {JsonObject[]} */
  const parts = item.content
  const text = joinedTexts(parts.map(({ text: typed, transcript }) => typed ?? transcript))
  return { kind: 'user', text, source: 'text', ...speech }
}
