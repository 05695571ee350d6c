'use strict'
// The ids of calls. The gate trusts an id for the whole session, and some servers number their calls anew in each message, give
// all calls one id, the tool's name, or none. This class knows messages, which the gate does not:
//
// 1. A message that comes again (same message id, same calls, or some of them) has the same ids again: the gate replays, and runs
//    nothing twice.
// 2. An id that an earlier message has used is another call. Where the messages have no ids, it is the same call as long as that
//    one is unanswered: the model has not seen an answer that it could go on from.
// 3. What is handed to the gate is unique: the provider's id if it can be trusted, otherwise one of our own. The provider
//    is always answered under its own id. Only the second of two calls of one message that share an id has another one in the
//    message that is repeated, so that each call has one answer.
const { createHash, randomUUID } = require('node:crypto')

/** The most calls, and the most messages, that are remembered. */
const KEPT = 2000
/** The most calls of a message that are compared with it when it comes again. */
const KEPT_OF_MESSAGE = 128
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
 * @property {string} shape distinguishes calls with other arguments
 * @property {string | null} messageId
 * @property {boolean} isAnswered
 */

class CallIds {
  /** @type {Map<string, KnownCall>} by the id for the gate */
  #calls = new Map()
  /** @type {Map<string, KnownCall>} the latest by the provider's id */
  #byProviderId = new Map()
  /** The latest by the provider's id and the shape. @type {Map<string, KnownCall>} */
  #byContent = new Map()
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
    const earlier = (messageId === null ? undefined : this.#messages.get(messageId)) ?? []
    /** @type {KnownCall[]} */
    const before = []
    const taken = calls.map(call => {
      const again = sameCall(earlier, call, before) ?? this.#redelivered(messageId, call, before)
      const known = again ?? this.#newCall(messageId, call, before)
      before.push(known)
      return { known, isAgain: again !== undefined }
    })
    const missing = earlier.filter(known => !before.includes(known)).slice(0, KEPT_OF_MESSAGE)
    if (messageId !== null && calls.length > 0) remember(this.#messages, messageId, [...before, ...missing])
    for (const { shape } of before) remember(this.#shapes, shape, messageId)
    return taken
  }

  /**
   * A call that comes before its message is whole.
   * @param {string | null} messageId
   * @param {ProviderCall & { id: string }} call
   */
  takeOne(messageId, call) {
    const again = this.#redelivered(messageId, call, [])
    const known = again ?? this.#newCall(messageId, call, [])
    remember(this.#shapes, known.shape, messageId)
    return { known, isAgain: again !== undefined }
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
    this.#rememberProviderId(call)
  }

  /** @param {KnownCall} call */
  #rememberProviderId(call) {
    if (call.providerId === null) return
    remember(this.#byProviderId, call.providerId, call)
    remember(this.#byContent, contentKey(call.providerId, call.shape), call)
  }

  /** @param {string | null} messageId @param {ProviderCall} call @param {KnownCall[]} before of the message */
  #redelivered(messageId, call, before) {
    const earlier = call.id === null ? undefined : this.#byContent.get(contentKey(call.id, shapeOf(call)))
    if (earlier === undefined || before.includes(earlier)) return undefined
    const isOtherMessage = messageId !== null && earlier.messageId !== null && messageId !== earlier.messageId
    if (isOtherMessage) return undefined
    // Its message again, whole or in part, or without its id, as hosts keep it.
    if (earlier.messageId !== null && (messageId === null || messageId === earlier.messageId)) return earlier
    const canRepeat = this.#isUnique && !isNumber(earlier.providerId ?? '', call.name)
    return earlier.isAnswered && !canRepeat ? undefined : earlier
  }

  /** @param {string | null} messageId @param {ProviderCall} call @param {KnownCall[]} before of the message @returns {KnownCall} */
  #newCall(messageId, call, before) {
    const { id: providerId, name } = call
    const isTwin = before.some(other => other.providerId === providerId)
    const isOwn =
      providerId === null || this.#byProviderId.has(providerId) || this.#isAmbiguous(providerId, call, messageId)
    const id = isOwn ? this.#ownId(messageId, before.length, providerId) : providerId
    const wireId = isTwin || providerId === null ? id : providerId
    const made = { id, wireId, providerId, name, shape: shapeOf(call), messageId, isAnswered: false }
    remember(this.#calls, id, made)
    this.#rememberProviderId(made)
    return made
  }

  /** @param {string | null} messageId @param {number} position @param {string | null} providerId */
  #ownId(messageId, position, providerId) {
    // The calls of a message may come one by one, each at the first position.
    for (let place = position; ; place += 1) {
      const id = makeId(messageId, place, providerId)
      if (!this.#calls.has(id)) return id
    }
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

/** @param {string} providerId @param {string} shape */
const contentKey = (providerId, shape) => JSON.stringify([providerId, shape])

/**
 * The call of a message in the message as it came before, whole or in part. The part with the id may be missing.
 * @param {KnownCall[]} earlier
 * @param {ProviderCall} call
 * @param {KnownCall[]} before calls that others of the message are
 */
function sameCall(earlier, call, before) {
  if (earlier.length === 0) return undefined
  const equal = earlier.filter(known => !before.includes(known) && known.shape === shapeOf(call))
  return (
    equal.find(({ providerId }) => providerId === call.id) ??
    equal.find(({ providerId }) => providerId === null || call.id === null)
  )
}

/**
 * The same for equal calls. Calls with long arguments that differ in their middle only are taken for equal, and then the gate
 * refuses the second one.
 * @param {ProviderCall} call
 */
function shapeOf({ name, args }) {
  const text = typeof args === 'string' ? args.trim() || '{}' : outlineOf(args)
  const shown =
    text.length <= COMPARED_LENGTH ? text : text.slice(0, COMPARED_LENGTH / 2) + text.slice(-COMPARED_LENGTH / 2)
  return JSON.stringify([name, text.length, shown])
}

/** The names and values of an object in its order, as far as they are compared. @param {unknown} args */
function outlineOf(args) {
  const pieces = []
  const left = [args]
  for (let length = 0; left.length > 0 && length < COMPARED_LENGTH;) {
    const value = left.pop()
    if (typeof value === 'object' && value !== null) {
      // In a list of the most that can be compared: a hostile object has more.
      const members = Object.entries(value).slice(0, COMPARED_LENGTH)
      left.push(...members.flat().reverse())
      pieces.push(`${members.length}:`)
    } else pieces.push(`${typeof value} ${String(value).slice(0, COMPARED_LENGTH)}`)
    length += pieces[pieces.length - 1].length
  }
  return JSON.stringify(pieces)
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
