'use strict'

// Which user's message a call belongs to, from what a framework gives a tool. The core begins a turn for a new message.

const { createHash, randomUUID } = require('node:crypto')

/**
 * @typedef {NonNullable<import('toolgate').ToolCall['message']>} UserMessage
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 */

/** By the object that stands for a message or run, and by session: that of its last run. @type {WeakMap<object, UserMessage | undefined>} */
const known = new WeakMap()

/**
 * The message of calls that share an object, such as the messages of a request.
 * @param {unknown} object
 * @returns {UserMessage | undefined}
 */
function messageOfRun(object) {
  if (typeof object !== 'object' || object === null) return undefined
  if (!known.has(object)) known.set(object, { id: randomUUID() })
  return known.get(object)
}

/**
 * The message of an agent's run. A run that goes on from a stored state begins no turn: it goes on in the session's, as its
 * calls were asked about there. The id that began it may be another process's.
 * @param {object} session
 * @param {object} run what stands for the run in this process
 * @param {() => boolean} goesOn asked once
 * @returns {UserMessage | undefined} nothing if the session has had no run in this process
 */
function messageOfAgentRun(session, run, goesOn) {
  if (!known.has(run) && goesOn()) known.set(run, known.get(session))
  const message = messageOfRun(run)
  known.set(session, message)
  return message
}

/**
 * The last message of the user in a conversation: by its id, or by its place among the user's messages and its content.
 * Equal content is only certain to be the same message once the model has answered it in the conversation.
 * @param {unknown} messages of the AI SDK or of LangChain; untrusted
 * @returns {UserMessage | undefined} nothing if there is none
 */
function lastUserMessage(messages) {
  if (!Array.isArray(messages)) return undefined
  const last = messages.findLastIndex(isOfUser)
  if (last === -1) return undefined
  /** @type {JsonObject} */
  const message = messages[last]
  const { id, content, parts } = message
  if (typeof id === 'string' && id !== '') return { id: hashOf(['id', id]) }
  const place = messages.slice(0, last).filter(isOfUser).length
  return { id: hashOf(['content', place, textOf(content ?? parts)]), byContent: last === messages.length - 1 }
}

/** @param {JsonObject | null | undefined} message */
const isOfUser = message => message?.role === 'user' || message?.type === 'human'

/**
 * A message's texts, and the types of its other parts: a picture is not hashed.
 * @param {unknown} content
 */
function textOf(content) {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : null
  return content.map((/** @type {JsonObject | null} */ part) => part?.text ?? part?.type ?? null)
}

/** @param {unknown[]} parts */
const hashOf = parts => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

module.exports = { lastUserMessage, messageOfAgentRun, messageOfRun }
