'use strict'
// OpenAI Chat Completions, and servers that speak it: whole messages and streamed chunks to messages with calls.
const { ChatCalls, readDelta } = require('./chat-calls.js')
const { ChatMessage } = require('./chat-message.js')
const { COMPLETION, isComplete } = require('./completion-reasons.js')
const { withoutEmptyTwins } = require('./empty-twins.js')
const { idOf, isObjectText, listOf, nameOf, recordOf, textOf } = require('./frame-reading.js')
const { MAX_CALLS } = require('./message-limits.js')
const { LOST_EVENT, TOO_MANY_CALLS, notRun, providerError, shortened } = require('./problems.js')

/**
 * @typedef {import('./event-object.js').Message} Message
 * @typedef {import('./chat-message.js').MessageCall} MessageCall
 * @typedef {{ name: string | null, id: string | null, args: string, extras: import('./chat-calls.js').Extras }} ReadCall
 * @typedef {{ id: string | null, calls: (MessageCall & { id: string | null })[], message: ChatMessage }} CompleteMessage
 */

/** The part of a streamed message that has come. */
class PartialMessage {
  calls = new ChatCalls()
  message = new ChatMessage()
  /** Whether a delta came without the role that begins a message. */
  hasContinued = false

  /** @param {string | null} id */
  constructor(id) {
    this.id = id
  }
}

class ChatReader {
  /** @type {PartialMessage | null} */
  #partial = null
  /** The message whose other choices were named last. @type {string | null | undefined} */
  #named

  /** Whether a message belongs to this API. @param {Message} frame */
  static recognizes({ choices, role, tool_calls: calls, error }) {
    return choices !== undefined || role !== undefined || calls !== undefined || error !== undefined
  }

  /**
   * @param {Message} frame a completion, a chunk, or an assistant message
   * @param {string[]} problems
   * @returns {CompleteMessage | null} a complete message with calls
   */
  read(frame, problems) {
    const error = errorIn(frame)
    if (error !== undefined) {
      problems.push(providerError('the service reports an error', error))
      this.#abandon('the service failed', problems, callsOf(frame))
      return null
    }
    const choices = listOf(frame.choices).map(recordOf)
    const choice = choices.find((candidate, at) => String(candidate.index ?? at) === '0')
    this.#nameOthers(frame, choices, choice, problems)
    if (choice?.delta !== undefined && choice.delta !== null) return this.#readChunk(frame, choice, problems)
    const message = choice === undefined ? frame : recordOf(choice.message)
    const isMessage = choice?.message !== undefined || Array.isArray(frame.tool_calls) || frame.role !== undefined
    return isMessage ? this.#readWhole(idOf(frame.id), message, choice?.finish_reason, problems) : null
  }

  /** The stream is over. @param {string[]} problems */
  end(problems) {
    this.#abandon('the stream ended without a finish reason', problems)
  }

  /** An event was lost. @param {string[]} problems */
  lose(problems) {
    this.#abandon(LOST_EVENT, problems)
  }

  /** @param {Message} frame @param {Message} choice @param {string[]} problems */
  #readChunk(frame, choice, problems) {
    const delta = recordOf(choice.delta)
    const [id, finish] = [idOf(frame.id), textOf(choice.finish_reason)]
    if (this.#beginsAnother(id, delta, finish))
      this.#abandon('another message began before its finish reason', problems)
    const partial = (this.#partial ??= new PartialMessage(id))
    partial.id ??= id
    partial.hasContinued ||= textOf(delta.role) === null
    partial.message.add(delta)
    for (const piece of piecesOf(delta.tool_calls)) partial.calls.append(piece)
    nameLegacyCall(delta, problems)
    if (finish === null) return null
    this.#partial = null
    this.#named = undefined
    return finished(partial, finish, problems)
  }

  /**
   * Whether a chunk belongs to another message than the one that has begun: by its id, or by a role, which only the first chunk has.
   * Some servers send a role with each chunk, or with each call.
   * @param {string | null} id
   * @param {Message} delta
   * @param {string | null} finish
   */
  #beginsAnother(id, delta, finish) {
    const partial = this.#partial
    if (partial === null) return false
    if (id !== null && id !== (partial.id ?? (partial.calls.calls.length > 0 ? null : id))) return true
    if (textOf(delta.role) === null || !partial.hasContinued || finish !== null) return false
    return id === null || piecesOf(delta.tool_calls).length === 0
  }

  /** @param {string | null} id @param {Message} whole @param {unknown} finish @param {string[]} problems */
  #readWhole(id, whole, finish, problems) {
    this.#abandon('another message came before its finish reason', problems)
    this.#named = undefined
    const message = new ChatMessage()
    message.add(whole)
    nameLegacyCall(whole, problems)
    const came = callsIn(whole)
    if (came.length > MAX_CALLS) problems.push(TOO_MANY_CALLS)
    const calls = came.length > MAX_CALLS ? came.slice(0, MAX_CALLS) : came
    if (textOf(finish) === null) return complete(id, withArguments(calls, problems), message, problems)
    if (isComplete(COMPLETION.chat, finish)) return complete(id, calls, message, problems)
    if (calls.length > 0) problems.push(incomplete(String(finish), calls))
    return null
  }

  /** @param {string} why @param {string[]} problems @param {ReadCall[]} [others] calls that are dropped as well */
  #abandon(why, problems, others = []) {
    const calls = [...(this.#partial?.calls.named ?? []), ...others]
    this.#partial = null
    if (calls.length > 0) problems.push(notRun(calls, why))
  }

  /** Names the choices that are not read, once for each message. @param {Message} frame @param {Message[]} choices @param {Message | undefined} read @param {string[]} problems */
  #nameOthers({ id }, choices, read, problems) {
    if (choices.length === 1 && read !== undefined) return
    const others = choices.flatMap((choice, at) => (choice === read ? [] : [choice.index ?? at]))
    if (others.length === 0 || this.#named === (textOf(id) ?? null)) return
    this.#named = textOf(id) ?? null
    problems.push(`only choice 0 of a message is read, not ${shortened(others.slice(0, 5).join(', '), 40)}`)
  }
}

/**
 * Why the parts of a whole message are ambiguous, if they are.
 * @param {import('./chat-calls.js').PartialCall[]} calls
 */
function whyUnclear(calls) {
  if (calls.some(({ name, args }) => name === null && args !== ''))
    return 'arguments came without the name of their call'
  if (calls.length < 2) return null
  // A part that does not fit its call may be missing in another one. What a call lacks may be in another one unless each has an
  // index of its own, and id and name in its first delta alone.
  const indexes = new Set(calls.map(({ index }) => index))
  const hasOwnIndexes = indexes.size === calls.length && !indexes.has(null)
  const hasOwnLabels = hasOwnIndexes && calls.every(({ id, isRelabelled }) => id !== null && !isRelabelled)
  // A stream that came twice, or two equal calls: an index distinguishes them only if they have no id.
  const labelled = hasOwnIndexes ? calls.filter(({ id }) => id !== null) : calls
  const distinct = new Set(labelled.map(({ id, name, args }) => JSON.stringify([id, name, args])))
  if (distinct.size < labelled.length) return 'a call came twice, or two calls are equal'
  const isBroken = (/** @type {import('./chat-calls.js').PartialCall} */ { progress, args }) =>
    progress === 'other' || (!hasOwnLabels && progress !== 'empty' && !isObjectText(args))
  const isMixed = calls.some(isBroken)
  return isMixed ? 'the arguments of a call are no object, and a part of them may be of another call' : null
}

/** @param {PartialMessage} partial @param {string} finish @param {string[]} problems */
function finished({ id, calls: collected, message }, finish, problems) {
  const { calls, conflict, isFull, named, doubtful } = collected
  const why = conflict ?? whyUnclear(calls)
  if (why !== null) problems.push(notRun(named, why))
  else if (!isComplete(COMPLETION.chat, finish)) {
    if (calls.length > 0) problems.push(incomplete(finish, calls))
  } else {
    if (calls.length === 0 && finish === 'tool_calls' && !message.isEmpty)
      problems.push('the message ended with `tool_calls`, and has no call')
    if (isFull) problems.push(TOO_MANY_CALLS)
    if (doubtful.length > 0)
      problems.push(notRun(doubtful, 'it has no arguments, and the message can be read without it'))
    const clear = calls.filter(call => !doubtful.includes(call))
    return complete(id, clear, message, problems)
  }
  return null
}

/** @param {string | null} id @param {ReadCall[]} calls @param {ChatMessage} message @param {string[]} problems @returns {CompleteMessage | null} */
function complete(id, calls, message, problems) {
  const named = calls.filter(call => call.name !== null)
  if (named.length < calls.length) problems.push(`${calls.length - named.length} tool calls without a name are not run`)
  const given = withoutEmptyTwins(named, problems)
  return given.length === 0 ? null : { id, calls: /** @type {CompleteMessage['calls']} */ (given), message }
}

/** @param {string} finish @param {ReadCall[]} calls */
const incomplete = (finish, calls) => notRun(calls, `the message ended with \`${shortened(finish, 40)}\``)

/**
 * The calls of a message that does not say how it ended: one without arguments may be cut.
 * @param {ReadCall[]} calls
 * @param {string[]} problems
 */
function withArguments(calls, problems) {
  const [whole, empty] = [
    calls.filter(({ args }) => args.trim() !== ''),
    calls.filter(({ args }) => args.trim() === ''),
  ]
  if (empty.length > 0) problems.push(notRun(empty, 'the message has no `finish_reason`, and the call no arguments'))
  return whole
}

/** The calls of the whole messages in a frame. @param {Message} frame @returns {ReadCall[]} */
const callsOf = frame =>
  listOf(frame.choices).flatMap(choice => callsIn(recordOf(recordOf(choice).message ?? recordOf(choice).delta)))

/** @param {Message} message @returns {ReadCall[]} */
const callsIn = message => piecesOf(message.tool_calls).map(readDelta)

/** Elements of `tool_calls`; some servers send one without the list. @param {unknown} value */
const piecesOf = value => (Array.isArray(value) ? value : Object.hasOwn(recordOf(value), 'function') ? [value] : [])

/** The error of a frame, of a choice or of its message, if there is one. @param {Message} frame */
function errorIn(frame) {
  if (isError(frame.error)) return frame.error
  for (const choice of listOf(frame.choices)) {
    const { error, message } = recordOf(choice)
    if (isError(error)) return error
    if (isError(recordOf(message).error)) return recordOf(message).error
  }
  return undefined
}

/** @param {unknown} error */
const isError = error => error !== undefined && error !== null && error !== false && error !== ''

/** @param {Message} message @param {string[]} problems */
function nameLegacyCall({ function_call: call }, problems) {
  const name = nameOf(recordOf(call).name)
  if (name !== null) problems.push(notRun([{ name }], 'it is a legacy `function_call`; declare the tool in `tools`'))
}

module.exports = { ChatReader }
