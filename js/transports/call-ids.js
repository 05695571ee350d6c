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
const { CallShape } = require('./call-shape.js')
const { RecentMap } = require('./recent-map.js')

/** The most calls, and the most messages, that are remembered; at least. */
const KEPT = 1000
/** The most calls of a message that are compared with it when it comes again. */
const KEPT_OF_MESSAGE = 128
/** The most calls with one id, and of one tool, that a call is compared with. */
const [KEPT_OF_ID, KEPT_OF_TOOL] = [16, 64]
/** Text that servers put before a call's number. */
const GENERIC_WORDS = /toolu?|call|function|fc|[^a-z0-9]/gi
/** A letter that none of these words has: most ids have one. */
const OTHER_LETTER = /[bdeghjkmp-sv-z]/i

/**
 * @typedef {{ id: string | null, name: string, args: unknown }} ProviderCall as the message has it
 * @typedef {{ id: string | null, name: string, shape: CallShape }} ShapedCall
 * @typedef {object} KnownCall
 * @property {string} id for the gate and the host
 * @property {string} wireId for the provider
 * @property {string | null} providerId as the message had it
 * @property {string} name
 * @property {CallShape} shape distinguishes calls with other arguments
 * @property {string | null} messageId
 * @property {boolean} isAnswered
 */

class CallIds {
  /** @type {RecentMap<string, KnownCall>} by the id for the gate */
  #calls = new RecentMap(KEPT)
  /** The latest calls by the provider's id, the last one at the end. @type {RecentMap<string, KnownCall[]>} */
  #byProviderId = new RecentMap(KEPT)
  /** The latest calls by the tool's name. @type {RecentMap<string, KnownCall[]>} */
  #byName = new RecentMap(KEPT)
  /** @type {RecentMap<string, KnownCall[]>} */
  #messages = new RecentMap(KEPT)
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
    const taken = calls.map(shaped).map(call => {
      const withId = this.#withId(call.id)
      const again = sameCall(earlier, call, before) ?? redelivered(withId, messageId, call, before, this.#isUnique)
      const known = again ?? this.#newCall(messageId, call, before, withId)
      before.push(known)
      return { known, isAgain: again !== undefined }
    })
    const missing = earlier.filter(known => !before.includes(known)).slice(0, KEPT_OF_MESSAGE)
    if (messageId !== null && calls.length > 0) this.#messages.set(messageId, [...before, ...missing])
    return taken
  }

  /**
   * A call that comes before its message is whole.
   * @param {string | null} messageId
   * @param {ProviderCall & { id: string }} given
   */
  takeOne(messageId, given) {
    const call = shaped(given)
    const withId = this.#withId(call.id)
    const again = redelivered(withId, messageId, call, [], this.#isUnique)
    const known = again ?? this.#newCall(messageId, call, [], withId)
    return { known, isAgain: again !== undefined }
  }

  /** The call with this id, if this object gave it. @param {string} id */
  get(id) {
    return this.#calls.get(id)
  }

  /** The latest call to which the provider gave this id. @param {string} providerId */
  ofProvider(providerId) {
    return this.#byProviderId.get(providerId)?.at(-1)
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
    add(this.#byProviderId, providerId, this.#withId(providerId), call, KEPT_OF_ID)
  }

  /** The calls to which the provider gave this id. @param {string | null} id */
  #withId(id) {
    return id === null ? undefined : this.#byProviderId.get(id)
  }

  /**
   * @param {string | null} messageId @param {ShapedCall} call
   * @param {KnownCall[]} before of the message @param {KnownCall[] | undefined} withId those with the provider's id
   * @returns {KnownCall}
   */
  #newCall(messageId, call, before, withId) {
    const { id: providerId, name, shape } = call
    const isTwin = before.some(other => other.providerId === providerId)
    const sameName = this.#byName.get(name)
    const isOwn = providerId === null || withId !== undefined || isAmbiguous(providerId, call, messageId, sameName)
    const id = isOwn ? this.#ownId(messageId, call) : providerId
    const wireId = isTwin || providerId === null ? id : providerId
    const made = { id, wireId, providerId, name, shape, messageId, isAnswered: false }
    this.#calls.set(id, made)
    if (providerId !== null) add(this.#byProviderId, providerId, withId, made, KEPT_OF_ID)
    add(this.#byName, name, sameName, made, KEPT_OF_TOOL)
    return made
  }

  /** @param {string | null} messageId @param {ShapedCall} call */
  #ownId(messageId, call) {
    for (let nth = 0; ; nth += 1) {
      const id = makeId(messageId, call, nth)
      if (!this.#calls.has(id)) return id
    }
  }
}

/**
 * @param {KnownCall[] | undefined} withId the calls with the provider's id @param {string | null} messageId @param {ShapedCall} call
 * @param {KnownCall[]} before of the message @param {boolean} isUnique
 */
function redelivered(withId, messageId, { id, name, shape }, before, isUnique) {
  const earlier = withId?.findLast(known => known.providerId === id && known.name === name && known.shape.equals(shape))
  if (earlier === undefined || before.includes(earlier)) return undefined
  const isOtherMessage = messageId !== null && earlier.messageId !== null && messageId !== earlier.messageId
  if (isOtherMessage) return undefined
  // Its message again, whole or in part, or without its id, as hosts keep it.
  if (earlier.messageId !== null && (messageId === null || messageId === earlier.messageId)) return earlier
  const canRepeat = isUnique && !isNumber(earlier.providerId ?? '', name)
  return earlier.isAnswered && !canRepeat ? undefined : earlier
}

/**
 * Whether the gate would take a call for another one, although its id is new here. It trusts ids that a later message may use
 * again, and keys ids of some forms by content and turn: an equal call of an earlier message, which another transport may have
 * read, would answer, and a message that is delivered again in a later turn would run again.
 * @param {string} id
 * @param {ShapedCall} call
 * @param {string | null} messageId
 * @param {KnownCall[] | undefined} sameName the calls of the tool
 */
function isAmbiguous(id, { name, shape }, messageId, sameName) {
  if (!isUnstable(id, name)) return messageId !== null && isNumber(id, name)
  if (isTelling(messageId)) return true
  const equal = sameName?.findLast(known => known.shape.equals(shape))
  return equal !== undefined && (messageId === null || equal.messageId !== messageId)
}

/**
 * Adds a call to those of a key, of which the last ones are kept.
 * @param {RecentMap<string, KnownCall[]>} calls @param {string} key @param {KnownCall[] | undefined} known @param {KnownCall} call
 * @param {number} kept
 */
function add(calls, key, known, call, kept) {
  if (known === undefined) return calls.set(key, [call])
  known.push(call)
  if (known.length > 2 * kept) known.splice(0, kept)
  // Used again: it must not be forgotten with what was set when it was.
  calls.set(key, known)
}

/** Whether an id says no more than the tool and a number. @param {string} id @param {string} name */
function isNumber(id, name) {
  const rest = name === '' ? id : id.replaceAll(name, '')
  return !OTHER_LETTER.test(rest) && /^\d{0,5}$/.test(rest.replace(GENERIC_WORDS, ''))
}

/**
 * Whether the gate keys the call by its content: `CallId::is_stable` of the core.
 * @param {string} id
 * @param {string} name
 */
function isUnstable(id, name) {
  if ((id.length <= 16 && [...id].length <= 8) || id.includes('temp')) return true
  const rest = id.replace(/^functions\./, '')
  return rest.startsWith(name) && /^[:_]\d+$/.test(rest.slice(name.length))
}

/**
 * The call of a message in the message as it came before, whole or in part. The part with the id may be missing.
 * @param {KnownCall[]} earlier
 * @param {ShapedCall} call
 * @param {KnownCall[]} before calls that others of the message are
 */
function sameCall(earlier, call, before) {
  if (earlier.length === 0) return undefined
  const equal = earlier.filter(
    known => !before.includes(known) && known.name === call.name && known.shape.equals(call.shape),
  )
  return (
    equal.find(({ providerId }) => providerId === call.id) ??
    equal.find(({ providerId }) => providerId === null || call.id === null)
  )
}

/** @param {ProviderCall} call @returns {ShapedCall} */
const shaped = ({ id, name, args }) => ({ id, name, shape: new CallShape(args) })

/** Whether a message has an id that no other message has: no bare number. @param {string | null} messageId @returns {messageId is string} */
const isTelling = messageId => messageId !== null && !/^\D*\d{0,5}$/.test(messageId)

/**
 * An id that the gate trusts. The same for the same call of a message that is delivered again, whole or in part, also to another
 * process; random where the message has no id.
 * @param {string | null} messageId
 * @param {ShapedCall} call
 * @param {number} nth of equal calls
 */
function makeId(messageId, { id, name, shape }, nth) {
  const source = isTelling(messageId) ? messageId : randomUUID()
  const digest = createHash('sha256').update(JSON.stringify([source, id, name, shape.text, nth]))
  return `call_${digest.digest('hex').slice(0, 32)}`
}

module.exports = { CallIds, isUnstable }
