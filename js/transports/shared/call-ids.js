'use strict'
// The ids of calls. Which calls are one is decided by the core alone; it trusts an id for the whole session, and some servers number
// their calls anew in each message, give all calls one id, the tool's name, or none. This class knows messages, which the core does not:
//
// 1. A message that comes again (same message id, same calls, or some of them) has the same ids again.
// 2. An id that an earlier message has used is another call. Where the messages have no ids, it is the same call as long as that
//    one is unanswered: the model has not seen an answer that it could go on from.
// 3. The host gets the provider's id as long as it is this call's own. Where the provider gave none, or gave it to another call before,
//    the host gets `temp_<n>`, which the core takes for no id: it knows such a call by its content and turn. The provider is always
//    answered under its own id. Only the second of two calls of one message that share an id has another one in the message that is
//    repeated, so that each call has one answer.
const { comparable, haveEqualArgs } = require('./equal-arguments.js')
const { RecentLists } = require('./recent-lists.js')
const { RecentMap } = require('./recent-map.js')

/** The most calls, and the most messages, that are remembered; at least. */
const KEPT = 1000
/** The most calls of a message that are compared with it when it comes again: twice as many as are read of one. */
const KEPT_OF_MESSAGE = 256
/** The most calls with one id that a call is compared with. */
const KEPT_OF_ID = 16
/** Text that servers put before a call's number. */
const GENERIC_WORDS = /toolu?|call|function|fc|[^a-z0-9]/gi
/** A letter that none of these words has: most ids have one. */
const OTHER_LETTER = /[bdeghjkmp-sv-z]/i

/**
 * @typedef {{ id: string | null, name: string, args: unknown }} ProviderCall as the message has it
 * @typedef {object} KnownCall
 * @property {string} id for the host
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
  /** Calls by the host's id, where the provider's is not theirs alone. @type {RecentMap<string, KnownCall>} */
  #byGateId = new RecentMap(KEPT)
  /** The latest calls by the provider's id, the last one at the end. @type {RecentLists<string, KnownCall>} */
  #byProviderId = new RecentLists(KEPT)
  /** @type {RecentLists<string, KnownCall>} */
  #messages = new RecentLists(KEPT)
  #isUnique
  #made = 0

  /** @param {{ isUnique?: boolean }} [options] `isUnique`: the provider gives no id twice, so an answered call can come again */
  constructor({ isUnique = false } = {}) {
    this.#isUnique = isUnique
  }

  /**
   * The calls of a message, with the ids under which they go to the host and to the provider.
   * @param {string | null} messageId
   * @param {ProviderCall[]} calls
   * @param {KnownCall[]} [before] its calls that were taken with an earlier part of it
   * @returns {TakenCall[]}
   */
  take(messageId, calls, before = []) {
    const earlier = messageId === null ? NONE : this.#messages.get(messageId)
    /** @type {KnownMessage} */
    const message = { id: messageId, before: [...before], earlier }
    const taken = calls.map(call => {
      const one = this.#take(message, call)
      message.before.push(one.known)
      return one
    })
    if (messageId === null || calls.length === 0) return taken
    // In the order in which they first came: of equal calls a call without an id is the first one.
    const { before: came } = message
    const all = earlier.length === 0 ? came : [...earlier, ...came.filter(known => !earlier.includes(known))]
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

  /** The id for the answer to a call; `null` if it is answered. One that the host read itself has its own. @param {string} id */
  wireId(id) {
    const known = this.get(id)
    return known?.isAnswered ? null : (known?.wireId ?? id)
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
    this.#byProviderId.set(providerId, withId.length === 0 ? [call] : [...withId.slice(1 - KEPT_OF_ID), call])
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
    const { providerId } = call
    const isShared = before.some(other => other.providerId === providerId)
    // A provider may give an id of the form that is made here.
    const isMissing = providerId === null || withId.length > 0 || this.#byGateId.get(providerId) !== undefined
    call.id = isMissing ? this.#makeId() : providerId
    call.wireId = isShared || providerId === null ? call.id : providerId
    if (isMissing) this.#byGateId.set(call.id, call)
    if (providerId !== null) this.#addWithId(providerId, call, withId)
  }

  #makeId() {
    for (;;) {
      const id = `temp_${(this.#made += 1)}`
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

/** Whether an id says no more than the tool and a number: a later message may use it again, also of a provider that gives no id twice. @param {KnownCall} call */
function isNumber({ providerId, name }) {
  const id = providerId ?? ''
  const rest = name === '' ? id : id.replaceAll(name, '')
  return !OTHER_LETTER.test(rest) && /^\d{0,5}$/.test(rest.replace(GENERIC_WORDS, ''))
}

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

module.exports = { CallIds }
