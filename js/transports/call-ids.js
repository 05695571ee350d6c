'use strict'
// The ids of calls. The gate trusts an id for the whole session, and some servers number their calls anew in each message, give
// all calls one id, the tool's name, or none. This class knows messages, which the gate does not:
//
// 1. A message that comes again (same message id, same calls) has the same ids again: the gate replays, and runs nothing twice.
// 2. An id that an earlier message has used is another call. Where the messages have no ids, it is the same call as long as that
//    one is unanswered: the model has not seen an answer that it could go on from.
// 3. What is handed to the gate is unique: the provider's id where it can be trusted, otherwise one of our own. The provider
//    is always answered under its own id. Only the second of two calls of one message that share an id has another one in the
//    message that is repeated, so that each call has one answer.
const { createHash, randomUUID } = require('node:crypto')

/** The most calls, and the most messages, that are remembered. */
const KEPT = 2000
/** Text that servers put before a call's number. */
const GENERIC_WORDS = /toolu?|call|function|fc|[^a-z0-9]/gi
/** Arguments up to this length are compared whole. */
const COMPARED_LENGTH = 1024

/**
 * @typedef {{ id: string | null, name: string, args: unknown }} ProviderCall as the message has it
 * @typedef {object} KnownCall
 * @property {string} id for the gate and the host
 * @property {string} wireId for the provider
 * @property {string | null} providerId as the message had it
 * @property {string} name
 * @property {string} shape tells apart calls with other arguments
 * @property {string | null} messageId
 * @property {boolean} isAnswered
 */

class CallIds {
  /** @type {Map<string, KnownCall>} by the id for the gate */
  #calls = new Map()
  /** @type {Map<string, KnownCall>} the latest by the provider's id */
  #byProviderId = new Map()
  /** @type {Map<string, KnownCall[]>} */
  #messages = new Map()
  /** The shapes of the calls so far, with the message of the last one. @type {Map<string, string | null>} */
  #shapes = new Map()
  #isUnique

  /** @param {{ isUnique?: boolean }} [options] `isUnique`: the provider gives no id twice, so an answered call can come again */
  constructor({ isUnique = false } = {}) {
    this.#isUnique = isUnique
  }

  /**
   * The calls of a message, with the ids under which they go to the gate and to the provider.
   * @param {string | null} messageId
   * @param {ProviderCall[]} calls
   * @returns {{ known: KnownCall, isAgain: boolean }[]} `isAgain`: the call was taken before
   */
  take(messageId, calls) {
    const earlier = messageId === null ? undefined : this.#messages.get(messageId)
    if (earlier !== undefined && isSameMessage(earlier, calls)) return earlier.map(known => ({ known, isAgain: true }))
    /** @type {KnownCall[]} */
    const before = []
    const taken = calls.map(call => {
      const again = this.#redelivered(messageId, call, before)
      const known = again ?? this.#newCall(messageId, call, before)
      before.push(known)
      return { known, isAgain: again !== undefined }
    })
    if (messageId !== null && calls.length > 0) remember(this.#messages, messageId, before)
    for (const { shape } of before) remember(this.#shapes, shape, messageId)
    return taken
  }

  /** The call with this id, if this object gave it. @param {string} id */
  get(id) {
    return this.#calls.get(id)
  }

  /** The latest call to which the provider gave this id. @param {string} providerId */
  ofProvider(providerId) {
    return this.#byProviderId.get(providerId)
  }

  /** Its next occurrence in another message is another call. @param {string} id */
  answered(id) {
    const call = this.#calls.get(id)
    if (call !== undefined) call.isAnswered = true
  }

  /**
   * The provider gives a call, which it has named before or not at all, another id.
   * @param {KnownCall} call
   * @param {string} providerId
   */
  rename(call, providerId) {
    Object.assign(call, { providerId, wireId: providerId, isAnswered: false })
    remember(this.#byProviderId, providerId, call)
  }

  /** @param {string | null} messageId @param {ProviderCall} call @param {KnownCall[]} before of the message */
  #redelivered(messageId, call, before) {
    const earlier = call.id === null ? undefined : this.#byProviderId.get(call.id)
    if (earlier === undefined || before.includes(earlier)) return undefined
    const isOtherMessage = messageId !== null && earlier.messageId !== null && messageId !== earlier.messageId
    if (isOtherMessage || earlier.shape !== shapeOf(call)) return undefined
    const canRepeat = this.#isUnique && !isNumber(earlier.providerId ?? '', call.name)
    return earlier.isAnswered && !canRepeat ? undefined : earlier
  }

  /** @param {string | null} messageId @param {ProviderCall} call @param {KnownCall[]} before of the message @returns {KnownCall} */
  #newCall(messageId, call, before) {
    const { id: providerId, name } = call
    const isTwin = before.some(other => other.providerId === providerId)
    const isOwn =
      providerId === null || this.#byProviderId.has(providerId) || this.#isAmbiguous(providerId, call, messageId)
    const id = isOwn ? makeId(messageId, before.length, providerId) : providerId
    const wireId = isTwin || providerId === null ? id : providerId
    const made = { id, wireId, providerId, name, shape: shapeOf(call), messageId, isAnswered: false }
    remember(this.#calls, id, made)
    if (providerId !== null) remember(this.#byProviderId, providerId, made)
    return made
  }

  /**
   * Whether the gate would take a call for another one, although its id is new here: it keys ids of some forms by content and turn,
   * so an equal call of an earlier message would answer, and trusts others that a later message may use again.
   * @param {string} id
   * @param {ProviderCall} call
   * @param {string | null} messageId
   */
  #isAmbiguous(id, call, messageId) {
    if (!isUnstable(id, call.name)) return messageId !== null && isNumber(id, call.name)
    const lastMessage = this.#shapes.get(shapeOf(call))
    return lastMessage !== undefined && (messageId === null || lastMessage !== messageId)
  }
}

/** Whether an id says no more than the tool and a number. @param {string} id @param {string} name */
function isNumber(id, name) {
  const rest = (name === '' ? id : id.replaceAll(name, '')).replace(GENERIC_WORDS, '')
  return /^\d{0,5}$/.test(rest)
}

/**
 * Whether the gate keys the call by its content: `CallId::is_stable` of the core.
 * @param {string} id
 * @param {string} name
 */
function isUnstable(id, name) {
  if ([...id.slice(0, 20)].length <= 8 || id.includes('temp')) return true
  const rest = id.replace(/^functions\./, '')
  return rest.startsWith(name) && /^[:_]\d+$/.test(rest.slice(name.length))
}

/** @param {KnownCall[]} earlier @param {ProviderCall[]} calls */
function isSameMessage(earlier, calls) {
  return (
    earlier.length === calls.length &&
    calls.every((call, at) => call.id === earlier[at].providerId && shapeOf(call) === earlier[at].shape)
  )
}

/**
 * The same for equal calls. Calls with long arguments that differ in their middle only are taken for equal, and then the gate
 * refuses the second one.
 * @param {ProviderCall} call
 */
function shapeOf({ name, args }) {
  const text = typeof args === 'string' ? args : ''
  const shown =
    text.length <= COMPARED_LENGTH ? text : text.slice(0, COMPARED_LENGTH / 2) + text.slice(-COMPARED_LENGTH / 2)
  return JSON.stringify([name, text.length, shown])
}

/**
 * An id that the gate trusts. The same for the same call of a message that is delivered again, also to another process; random where
 * the message has no id.
 * @param {string | null} messageId
 * @param {number} position of the call in its message
 * @param {string | null} providerId
 */
function makeId(messageId, position, providerId) {
  const source = messageId === null || /^\D*\d{0,5}$/.test(messageId) ? randomUUID() : messageId
  const digest = createHash('sha256').update(JSON.stringify([source, position, providerId]))
  return `call_${digest.digest('hex').slice(0, 32)}`
}

/** @template T @param {Map<string, T>} entries @param {string} key @param {T} value */
function remember(entries, key, value) {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size > KEPT) entries.delete(/** @type {string} */ (entries.keys().next().value))
}

module.exports = { CallIds }
