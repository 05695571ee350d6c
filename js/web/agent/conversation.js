'use strict'

// The conversation of a chat: kept in the state of its session, so it is bounded, ends and is erased with the session, and every
// process that shares the store has it.

const { keptMessage } = require('./kept-message.js')

/** The newest messages. */
const MAX_MESSAGES = 40
const FIELD = 'conversation.'

/**
 * @typedef {import('../../gate/session.js').Session} Session
 * @typedef {import('./body.js').ChatMessage} ChatMessage
 * @typedef {{ number: number, message: ChatMessage }} KeptField each message has a field of its own: the history of a state keeps the
 *   values of its changes. `number` counts the messages of the session; the newest replaces the oldest
 */

/** The kept messages, the oldest first. @param {Session} session */
const readConversation = session => keptFields(session).map(({ message }) => message)

/**
 * Keeps messages in their order. One that is kept already, by its id, is replaced in its place.
 * @param {Session} session @param {ChatMessage[]} messages @param {{ isCut?: boolean }} [how] `isCut`: the answer broke off
 */
function keepMessages(session, messages, how) {
  if (!session.state.get('isActive')) return
  const fields = keptFields(session)
  let next = (fields.at(-1)?.number ?? -1) + 1
  for (const message of messages.slice(-MAX_MESSAGES)) {
    const kept = keptMessage(message, (tool, args) => maskedArguments(session, tool, args), how)
    if (kept === null) continue
    const known = fields.find(field => field.message.id === kept.id)
    const number = known?.number ?? next++
    if (known && JSON.stringify(known.message) === JSON.stringify(kept)) continue
    setField(session, number, kept)
  }
}

/**
 * Keeps the message that begins a turn. If it was sent before, its answer is made anew: what followed it is dropped.
 * @param {Session} session @param {ChatMessage} message
 */
function keepRequest(session, message) {
  const known = keptFields(session).find(field => field.message.id === message.id)
  keepMessages(session, [message])
  if (known) for (const { number } of keptFields(session)) if (number > known.number) setField(session, number, null)
}

/** @param {Session} session @param {number} number @param {ChatMessage | null} message */
function setField(session, number, message) {
  const kept = message && { number, message: JSON.parse(JSON.stringify(message)) }
  session.state.set(`${FIELD}${number % MAX_MESSAGES}`, kept)
}

/** @param {Session} session @returns {KeptField[]} */
function keptFields(session) {
  const fields = Object.entries(session.state.getSnapshot()).filter(([name]) => name.startsWith(FIELD))
  const kept = fields.flatMap(([, value]) => (value === null ? [] : [/** @type {KeptField} */ (value)]))
  return kept.toSorted((a, b) => a.number - b.number)
}

/** @param {Session} session @param {string} tool @param {unknown} args */
const maskedArguments = (session, tool, args) => session.showArguments(tool, args)?.args ?? {}

module.exports = { keepMessages, keepRequest, readConversation }
