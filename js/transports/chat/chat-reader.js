'use strict'
// OpenAI Chat Completions, and servers that speak it: whole messages and streamed chunks to messages with calls.
const { readDelta } = require('./chat-calls.js')
const { RepeatedMessage } = require('./repeated-message.js')
const { PartialMessage } = require('./chat-partial.js')
const { COMPLETION, isComplete } = require('../shared/completion-reasons.js')
const { withoutEmptyTwins } = require('../shared/empty-twins.js')
const { argumentsText, idOf, listOf, nameOf, recordOf, textOf } = require('../shared/frame-reading.js')
const { MAX_CALLS } = require('../shared/message-limits.js')
const { LOST_EVENT, TOO_MANY_CALLS, notRun, providerError, shortened } = require('../shared/problems.js')

/**
 * @typedef {import('../shared/event-object.js').Message} Message
 * @typedef {import('./repeated-message.js').MessageCall} MessageCall
 * @typedef {{ name: string | null, id: string | null, args: string, extras: import('./chat-calls.js').Extras }} ReadCall
 * @typedef {{ id: string | null, calls: (MessageCall & { id: string | null })[], message: RepeatedMessage }} CompleteMessage
 *   `message`: the same for all parts of a message whose calls are given one after another
 */

class ChatReader {
  /** @type {PartialMessage | null} */
  #partial = null
  /** The message whose other choices were named last. @type {string | null | undefined} */
  #named

  /** Whether a message belongs to this API. @param {Message} frame */
  static recognizes({ choices, role, tool_calls: calls, error }) {
    return choices !== undefined || role !== undefined || calls !== undefined || error !== undefined
  }

  /** What the next request repeats of the message that streams, if one does. */
  get open() {
    return this.#partial?.message
  }

  /**
   * @param {Message} frame a completion, a chunk, or an assistant message
   * @param {string[]} problems
   * @returns {CompleteMessage[]} the messages that have calls to give, or the parts of one
   */
  read(frame, problems) {
    const error = errorIn(frame)
    if (error !== undefined) {
      problems.push(providerError('the service reports an error', error))
      this.#abandon('the service failed', problems, callsOf(frame))
      return []
    }
    const choices = listOf(frame.choices).map(recordOf)
    const choice = choices.find((candidate, at) => String(candidate.index ?? at) === '0')
    this.#nameOthers(frame, choices, choice, problems)
    if (choice?.delta !== undefined && choice.delta !== null) return this.#readChunk(frame, choice, problems)
    const message = choice === undefined ? frame : recordOf(choice.message)
    const isMessage = choice?.message !== undefined || Array.isArray(frame.tool_calls) || frame.role !== undefined
    return isMessage ? this.#readWhole(idOf(frame.id), message, choice?.finish_reason, problems) : this.#pass(problems)
  }

  /** The stream is over. @param {string[]} problems */
  end(problems) {
    return this.#close('the stream ended without a finish reason', problems)
  }

  /** An event was lost. @param {string[]} problems */
  lose(problems) {
    this.#abandon(LOST_EVENT, problems)
  }

  /** @param {Message} frame @param {Message} choice @param {string[]} problems */
  #readChunk(frame, choice, problems) {
    const delta = recordOf(choice.delta)
    const [id, finish] = [idOf(frame.id), textOf(choice.finish_reason)]
    const closed = this.#beginsAnother(id, delta, finish) ? this.#closeFor(delta, problems) : []
    const partial = (this.#partial ??= new PartialMessage(id))
    partial.id ??= id
    partial.hasContinued ||= textOf(delta.role) === null
    partial.message.add(delta)
    partial.append(piecesOf(delta), isLegacy(delta))
    nameLegacyTwin(delta, problems)
    if (finish !== null) this.#named = undefined
    if (finish !== null && !isComplete(COMPLETION.chat, finish)) {
      this.#abandon(endedWith(finish), problems)
      return closed
    }
    partial.finish = finish ?? partial.finish
    return [...closed, ...given(partial, problems)]
  }

  /** Another message begins. A piece without a name may be what a call lacks whose message has ended. @param {Message} delta @param {string[]} problems */
  #closeFor(delta, problems) {
    const why = 'another message began before its finish reason'
    const isNameless = piecesOf(delta).some(piece => readDelta(piece).name === null)
    if (!isNameless) return this.#close(why, problems)
    this.#abandon(this.#partial?.hasEnded ? 'the arguments did not end' : why, problems)
    return []
  }

  /** An event that has nothing of a message. @param {string[]} problems */
  #pass(problems) {
    this.#partial?.passOver()
    return this.#partial === null ? [] : given(this.#partial, problems)
  }

  /** The message is over. @param {string} why if it did not say that it is complete @param {string[]} problems */
  #close(why, problems) {
    const partial = this.#partial
    if (partial === null) return []
    const ready = this.#pass(problems)
    partial.end(why, problems)
    this.#partial = null
    return ready
  }

  /**
   * Whether a chunk belongs to another message than the one that has begun: by its id, or by a role, which only the first chunk has.
   * Some servers send a role with each chunk, or with each call. Without ids, a message that has ended and lacks nothing is over.
   * @param {string | null} id
   * @param {Message} delta
   * @param {string | null} finish
   */
  #beginsAnother(id, delta, finish) {
    const partial = this.#partial
    if (partial === null) return false
    if (id !== null && id !== (partial.id ?? (partial.calls.length > 0 ? null : id))) return true
    if (partial.isWhole && (id === null || partial.id === null)) return true
    const canBeFirst = partial.hasContinued || partial.hasEnded
    if (textOf(delta.role) === null || !canBeFirst || finish !== null) return false
    return id === null || piecesOf(delta).length === 0
  }

  /** @param {string | null} id @param {Message} whole @param {unknown} finish @param {string[]} problems */
  #readWhole(id, whole, finish, problems) {
    const closed = this.#close('another message came before its finish reason', problems)
    this.#named = undefined
    const message = new RepeatedMessage()
    message.add(whole)
    message.isLegacy = isLegacy(whole)
    nameLegacyTwin(whole, problems)
    const came = callsIn(whole)
    if (came.length > MAX_CALLS) problems.push(TOO_MANY_CALLS)
    const calls = came.length > MAX_CALLS ? came.slice(0, MAX_CALLS) : came
    if (textOf(finish) === null) return [...closed, ...complete(id, withArguments(calls, problems), message, problems)]
    if (isComplete(COMPLETION.chat, finish)) return [...closed, ...complete(id, calls, message, problems)]
    if (calls.length > 0) problems.push(notRun(calls, endedWith(String(finish))))
    return closed
  }

  /** @param {string} why @param {string[]} problems @param {ReadCall[]} [others] calls that are dropped as well */
  #abandon(why, problems, others = []) {
    const calls = [...(this.#partial?.left ?? []), ...others]
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

/** The calls of a streamed message that are due. @param {PartialMessage} partial @param {string[]} problems */
const given = (partial, problems) =>
  complete(partial.id, partial.due(problems), partial.message, problems, partial.calls)

/**
 * @param {string | null} id @param {ReadCall[]} calls @param {RepeatedMessage} message @param {string[]} problems
 * @param {ReadCall[]} [all] the calls of the message, if there are others
 * @returns {CompleteMessage[]}
 */
function complete(id, calls, message, problems, all) {
  const named = calls.filter(call => call.name !== null)
  if (named.length < calls.length) problems.push(`${calls.length - named.length} tool calls without a name are not run`)
  const whole = withoutEmptyTwins(named, problems, all)
  return whole.length === 0 ? [] : [{ id, calls: /** @type {CompleteMessage['calls']} */ (whole), message }]
}

/** @param {string} finish */
const endedWith = finish => `the message ended with \`${shortened(finish, 40)}\``

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
const callsIn = message => piecesOf(message).map(readDelta)

/** The calls of a message, or their pieces of a delta. A legacy `function_call` is the only one. @param {Message} message */
const piecesOf = message => (isLegacy(message) ? [{ index: 0, function: message.function_call }] : toolCallsOf(message))

/** Whether a message, or a delta, has its call in `function_call` alone. @param {Message} message */
const isLegacy = message => toolCallsOf(message).length === 0 && hasCall(message.function_call)

/** Elements of `tool_calls`; some servers send one without the list. @param {Message} message */
const toolCallsOf = ({ tool_calls: calls }) =>
  Array.isArray(calls) ? calls : Object.hasOwn(recordOf(calls), 'function') ? [calls] : []

/** Whether a `function_call` has a part of a call: servers send an empty one with each delta. @param {unknown} legacy */
const hasCall = legacy => nameOf(recordOf(legacy).name) !== null || argumentsText(recordOf(legacy).arguments) !== ''

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

/** Names a `function_call` beside `tool_calls`, which are read. @param {Message} message @param {string[]} problems */
function nameLegacyTwin(message, problems) {
  const name = nameOf(recordOf(message.function_call).name)
  if (name !== null && !isLegacy(message))
    problems.push(notRun([{ name }], 'it is a legacy `function_call` beside `tool_calls`'))
}

module.exports = { ChatReader }
