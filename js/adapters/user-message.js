'use strict'

// Which user's message a call belongs to, from what a framework gives a tool. The core begins a turn for a new message.

const { createHash, randomUUID } = require('node:crypto')

/**
 * @typedef {NonNullable<import('toolgate').ToolCall['message']>} UserMessage
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 */

/** The ids of objects that stand for one message or run. @type {WeakMap<object, string>} */
const ids = new WeakMap()

/**
 * The message of calls that share an object, such as the context of an agent's run.
 * @param {unknown} object
 * @returns {UserMessage | undefined}
 */
function messageOfRun(object) {
  if (typeof object !== 'object' || object === null) return undefined
  let id = ids.get(object)
  if (id === undefined) ids.set(object, (id = randomUUID()))
  return { id }
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

module.exports = { lastUserMessage, messageOfRun }
