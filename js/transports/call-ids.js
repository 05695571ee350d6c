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
const { comparable, compactOf, haveEqualArgs } = require('./equal-arguments.js')
const { RecentLists } = require('./recent-lists.js')
const { RecentMap } = require('./recent-map.js')

/** The most calls, and the most messages, that are remembered; at least. */
const KEPT = 1000
/** The most calls of a message that are compared with it when it comes again: twice as many as are read of one. */
const KEPT_OF_MESSAGE = 256
/** The most calls with one id, and of one tool, that a call is compared with. */
const [KEPT_OF_ID, KEPT_OF_TOOL] = [16, 64]
/** Text that servers put before a call's number. */
const GENERIC_WORDS = /toolu?|call|function|fc|[^a-z0-9]/gi
/** What some servers put before a tool's name. */
const PREFIX = 'functions.'
/** A letter that none of these words has: most ids have one. */
const OTHER_LETTER = /[bdeghjkmp-sv-z]/i

/**
 * @typedef {{ id: string | null, name: string, args: unknown }} ProviderCall as the message has it
 * @typedef {object} KnownCall
 * @property {string} id for the gate and the host
 * @property {string} wireId for the provider
 * @property {string | null} providerId as the message had it
 * @property {string} name
 * @property {string} args what is compared of the arguments, as `equal-arguments.js` makes it
 * @property {string | null} compact the same, once it was needed
 * @property {string | null} messageId
 * @property {boolean} isAnswered
 * @typedef {{ id: string | null, before: KnownCall[], earlier: readonly KnownCall[] }} KnownMessage `before`: its calls that were
 *   taken; `earlier`: the calls of the message as it came before
 * @typedef {{ known: KnownCall, isAgain: boolean }} TakenCall `isAgain`: the call was taken before
 */

/** @type {readonly never[]} */
const NONE = []

class CallIds {
  /** Calls by the gate's id, where the provider's is not theirs alone. @type {RecentMap<string, KnownCall>} */
  #byGateId = new RecentMap(KEPT)
  /** The latest calls by the provider's id, the last one at the end. @type {RecentLists<string, KnownCall>} */
  #byProviderId = new RecentLists(KEPT)
  /** The latest calls that the gate keys by their content, by the tool's name. @type {RecentLists<string, KnownCall>} */
  #byContent = new RecentLists(KEPT)
  /** @type {RecentLists<string, KnownCall>} */
  #messages = new RecentLists(KEPT)
  #isUnique

  /** @param {{ isUnique?: boolean }} [options] `isUnique`: the provider gives no id twice, so an answered call can come again */
  constructor({ isUnique = false } = {}) {
    this.#isUnique = isUnique
  }

  /**
   * The calls of a message, with the ids under which they go to the gate and to the provider.
   * @param {string | null} messageId
   * @param {ProviderCall[]} calls
   * @returns {TakenCall[]}
   */
  take(messageId, calls) {
    /** @type {KnownMessage} */
    const message = { id: messageId, before: [], earlier: messageId === null ? NONE : this.#messages.get(messageId) }
    const taken = calls.map(call => {
      const one = this.#take(message, call)
      message.before.push(one.known)
      return one
    })
    if (messageId === null || calls.length === 0) return taken
    const { before, earlier } = message
    // In the order in which they first came: of equal calls a call without an id is the first one.
    const all = earlier.length === 0 ? before : [...earlier, ...before.filter(known => !earlier.includes(known))]
    this.#messages.set(messageId, all.length > KEPT_OF_MESSAGE ? all.slice(-KEPT_OF_MESSAGE) : all)
    return taken
  }

  /**
   * A call that comes before its message is whole.
   * @param {string | null} messageId
   * @param {ProviderCall & { id: string }} given
   */
  takeOne(messageId, given) {
    return this.#take({ id: messageId, before: [], earlier: NONE }, given)
  }

  /** The call with this id, if this object gave it. @param {string} id */
  get(id) {
    return this.#byGateId.get(id) ?? this.#byProviderId.get(id).findLast(known => known.id === id)
  }

  /** The latest call to which the provider gave this id. @param {string} providerId */
  ofProvider(providerId) {
    return this.#byProviderId.get(providerId).at(-1)
  }

  /** The next occurrence of the call in another message is another call. Returns the call. @param {string} id */
  answered(id) {
    const call = this.get(id)
    if (call !== undefined) call.isAnswered = true
    return call
  }

  /**
   * The provider gives a call, which it has named before or not at all, another id.
   * @param {KnownCall} call
   * @param {string} providerId
   */
  rename(call, providerId) {
    this.#byGateId.set(call.id, call)
    Object.assign(call, { providerId, wireId: providerId, isAnswered: false })
    this.#addWithId(providerId, call, this.#byProviderId.get(providerId))
  }

  /** @param {string} providerId @param {KnownCall} call @param {readonly KnownCall[]} withId those with the id */
  #addWithId(providerId, call, withId) {
    // Until now the first call with the id was found by it alone; of many calls with one id the first ones are forgotten.
    if (withId.length === 1) this.#byGateId.set(withId[0].id, withId[0])
    add(this.#byProviderId, providerId, withId, call, KEPT_OF_ID)
  }

  /** @param {KnownMessage} message @param {ProviderCall} given @returns {TakenCall} */
  #take(message, { id, name, args }) {
    /** @type {KnownCall} if it is new, `#remember` gives it its ids */
    const call = {
      id: '',
      wireId: '',
      providerId: id,
      name,
      args: comparable(args),
      compact: null,
      messageId: message.id,
      isAnswered: false,
    }
    const withId = id === null ? NONE : this.#byProviderId.get(id)
    const again = sameCall(message, call) ?? redelivered(withId, message, call, this.#isUnique)
    if (again === undefined) this.#remember(call, message, withId)
    return { known: again ?? call, isAgain: again !== undefined }
  }

  /** Remembers a new call, under the ids that it gets. @param {KnownCall} call @param {KnownMessage} message @param {readonly KnownCall[]} withId those with the provider's id */
  #remember(call, { before }, withId) {
    const { providerId, name, messageId } = call
    const isTwin = before.some(other => other.providerId === providerId)
    const isByContent = providerId !== null && isUnstable(providerId, name)
    const ofTool = isByContent ? this.#byContent.get(name) : NONE
    const isAmbiguous = isByContent ? mayRepeat(call, ofTool) : messageId !== null && isNumber(call)
    const isOwn = providerId === null || withId.length > 0 || isAmbiguous
    call.id = isOwn ? this.#ownId(call) : providerId
    call.wireId = isTwin || providerId === null ? call.id : providerId
    if (isOwn) this.#byGateId.set(call.id, call)
    else if (isByContent) add(this.#byContent, name, ofTool, call, KEPT_OF_TOOL)
    if (providerId !== null) this.#addWithId(providerId, call, withId)
  }

  /** @param {KnownCall} call */
  #ownId(call) {
    for (let nth = 0; ; nth += 1) {
      const id = makeId(call, nth)
      if (this.get(id) === undefined) return id
    }
  }
}

/**
 * @param {readonly KnownCall[]} withId the calls with the provider's id @param {KnownMessage} message @param {KnownCall} call
 * @param {boolean} isUnique
 */
function redelivered(withId, { id: messageId, before }, call, isUnique) {
  const earlier = withId.findLast(known => known.providerId === call.providerId && isEqual(known, call))
  if (earlier === undefined || before.includes(earlier)) return undefined
  const isOtherMessage = messageId !== null && earlier.messageId !== null && messageId !== earlier.messageId
  if (isOtherMessage) return undefined
  // Its message again, whole or in part, or without its id, as hosts keep it.
  if (earlier.messageId !== null && (messageId === null || messageId === earlier.messageId)) return earlier
  const canRepeat = isUnique && !isNumber(earlier)
  return earlier.isAnswered && !canRepeat ? undefined : earlier
}

/**
 * Whether the gate, which keys the call by content and turn, may take it for another one: an equal call of an earlier message,
 * which another transport may have read, would answer, and a message that is delivered again in a later turn would run again.
 * @param {KnownCall} call
 * @param {readonly KnownCall[]} ofTool calls of the tool that are keyed in this way
 */
function mayRepeat(call, ofTool) {
  const { messageId } = call
  if (isTelling(messageId)) return true
  const equal = ofTool.findLast(known => haveEqualArgs(known, call))
  return equal !== undefined && (messageId === null || equal.messageId !== messageId)
}

/**
 * Adds a call to those of a key, of which the last ones are kept.
 * @param {RecentLists<string, KnownCall>} lists @param {string} key @param {readonly KnownCall[]} known those of the key
 * @param {KnownCall} call @param {number} kept
 */
const add = (lists, key, known, call, kept) =>
  lists.set(key, known.length === 0 ? [call] : [...known.slice(1 - kept), call])

/** Whether an id says no more than the tool and a number: a later message may use it again. @param {KnownCall} call */
function isNumber({ providerId, name }) {
  const id = providerId ?? ''
  const rest = name === '' ? id : id.replaceAll(name, '')
  return !OTHER_LETTER.test(rest) && /^\d{0,5}$/.test(rest.replace(GENERIC_WORDS, ''))
}

/**
 * Whether the gate keys the call by its content: `CallId::is_stable` of the core.
 * @param {string} id
 * @param {string} name
 */
function isUnstable(id, name) {
  if (isShort(id) || id.includes('temp')) return true
  const rest = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id
  return rest.startsWith(name) && /^[:_]\d+$/.test(rest.slice(name.length))
}

/** Whether an id has at most eight characters; those beyond U+FFFF are two in its length. @param {string} id */
const isShort = id => id.length <= 8 || (id.length <= 16 && [...id].length <= 8)

/** The call of a message in the message as it came before, whole or in part. The part with the id may be missing. @param {KnownMessage} message @param {KnownCall} call */
function sameCall({ earlier, before }, call) {
  if (earlier.length === 0) return undefined
  const equal = earlier.filter(known => !before.includes(known) && isEqual(known, call))
  return (
    equal.find(({ providerId }) => providerId === call.providerId) ??
    equal.find(({ providerId }) => providerId === null || call.providerId === null)
  )
}

/** Whether two calls have the same tool and arguments. @param {KnownCall} known @param {KnownCall} call */
const isEqual = (known, call) => known.name === call.name && haveEqualArgs(known, call)

/** Whether a message has an id that no other message has: no bare number. @param {string | null} messageId @returns {messageId is string} */
const isTelling = messageId => messageId !== null && !/^\D*\d{0,5}$/.test(messageId)

/**
 * An id that the gate trusts. The same for the same call of a message that is delivered again, whole or in part, also to another
 * process; random where the message has no id.
 * @param {KnownCall} call
 * @param {number} nth of equal calls
 */
function makeId(call, nth) {
  const { messageId, providerId, name } = call
  const source = isTelling(messageId) ? messageId : randomUUID()
  const digest = createHash('sha256').update(JSON.stringify([source, providerId, name, compactOf(call), nth]))
  return `call_${digest.digest('hex').slice(0, 32)}`
}

module.exports = { CallIds, isUnstable }
