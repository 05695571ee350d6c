'use strict'
// The sentences of `problem`. They hold no arguments and no text of a message, except names and the provider's own error.
const { recordOf, textOf } = require('./frame-reading.js')
const { MAX_CALLS } = require('./message-limits.js')

/** Why a message is dropped in the middle of its events. */
const LOST_EVENT = 'an event of the message could not be read'
/** Why an answer is not sent. */
const [ANSWERED, CANCELLED] = ['the call was answered before', 'the call was cancelled']
/** Why calls beyond the bound are left out. */
const TOO_MANY_CALLS = `a message with more than ${MAX_CALLS} tool calls: the others are not run`
const NAMES_SHOWN = 5
const NAME_LENGTH = 64
const ERROR_LENGTH = 300

/**
 * The names of calls: `a`, `b` and 3 more.
 * @param {{ name?: string | null }[]} calls
 */
function namesOf(calls) {
  const shown = calls
    .slice(0, NAMES_SHOWN)
    .map(({ name }) => (name ? `\`${shortened(name, NAME_LENGTH)}\`` : 'a call without a name'))
  return calls.length > NAMES_SHOWN ? `${shown.join(', ')} and ${calls.length - NAMES_SHOWN} more` : shown.join(', ')
}

/** @param {{ name?: string | null }[]} calls @param {string} why */
const notRun = (calls, why) => (calls.length === 0 ? why : `${namesOf(calls)} not run: ${why}`)

/**
 * A provider's error object with `type`, `code` and `message`, or its text.
 * @param {string} what
 * @param {unknown} error
 */
function providerError(what, error) {
  const { type, code, message } = recordOf(error)
  const details = [type, typeof code === 'number' ? String(code) : code, message, error]
    .map(textOf)
    .filter(text => text !== null)
  if (details.length === 0) return `${what}, without a reason`
  return `${what}: ${shortened(details.join(': '), ERROR_LENGTH)}`
}

/** A text on one line, of at most `length` characters. @param {string} text @param {number} length */
function shortened(text, length) {
  // Control and format characters could forge a line of the log, or turn its direction.
  const line = text.slice(0, length).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
  return text.length > length ? `${line}…` : line
}

module.exports = { ANSWERED, CANCELLED, LOST_EVENT, TOO_MANY_CALLS, namesOf, notRun, providerError, shortened }
