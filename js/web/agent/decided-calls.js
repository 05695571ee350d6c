'use strict'

// The history of a turn in which the user has decided about calls: the model reads the record of the gate, and goes on from it.

/**
 * @typedef {import('./body.js').ChatMessage} ChatMessage
 * @typedef {import('../../shared-types.js').JsonObject} JsonObject
 */

/** The ids of the calls in these messages. @param {ChatMessage[]} messages */
function callIdsIn(messages) {
  const parts = messages.flatMap(message => (message.role === 'assistant' ? message.parts : []))
  return new Set(parts.flatMap(part => (isCall(part) ? [String(part.toolCallId)] : [])))
}

/** Without the answers that the page has put to these calls: the gate knows them. @param {ChatMessage[]} messages @param {Set<string>} callIds */
function withoutAnswers(messages, callIds) {
  if (callIds.size === 0) return messages
  const isOpen = (/** @type {JsonObject} */ part) => isCall(part) && callIds.has(part.toolCallId)
  return messages.map(message => ({
    ...message,
    parts: message.parts.map(part =>
      isOpen(part) ? { ...part, state: 'input-available', output: undefined, errorText: undefined } : part,
    ),
  }))
}

/**
 * With these calls and their answers at the end: a model goes on from results, and some refuse to go on from words of their own.
 * @param {ChatMessage[]} messages the last one is the assistant's @param {Set<string>} callIds @returns {ChatMessage[]}
 */
function endingWith(messages, callIds) {
  const isDecided = (/** @type {JsonObject} */ part) => isCall(part) && callIds.has(part.toolCallId)
  const decided = messages.flatMap(({ parts }) => parts.filter(isDecided))
  return messages.map((message, at) => {
    if (message.role !== 'assistant') return message
    const others = message.parts.filter(part => !isDecided(part))
    return { ...message, parts: at === messages.length - 1 ? [...others, { type: 'step-start' }, ...decided] : others }
  })
}

/** @param {JsonObject} part */
const isCall = ({ type }) => typeof type === 'string' && type.startsWith('tool-')

module.exports = { callIdsIn, endingWith, withoutAnswers }
