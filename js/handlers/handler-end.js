'use strict'

// How a handler ended, as it is reported to the core: by a number, a text, and a note.

const { describeHandlerError } = require('./handler-error.js')
const { isInstance, memberOf } = require('../values/foreign.js')
const { lossText } = require('../values/json-loss.js')
const { boundedJsonText, wellFormed } = require('../values/json-text.js')

/** The numbers are those of the native functions `settle` and `complete`. */
const Ended = Object.freeze({ RETURNED: 0, NOTHING: 1, NOT_JSON: 2, THREW: 3, TOO_LARGE: 4, LEFT: 5 })

/** The warning of a result with a lone surrogate, which no UTF-8 has. */
const HALF_CHARACTER = 'not_well_formed: half of a character was replaced by U+FFFD'

/**
 * @typedef {{ maxBytes: number, refusesLoss: boolean }} ResultLimits `refusesLoss`: whether a success that JSON can't carry is
 *   refused; if not, it gets a warning
 * @typedef {[ended: number, text: string, note?: string]} EncodedEnd `note`: a warning about what was returned, or the path of
 *   the value that is not JSON
 */

/** @param {unknown} value what a handler returned @param {ResultLimits} limits @returns {EncodedEnd} */
function encodeReturned(value, { maxBytes, refusesLoss }) {
  const { text, problem, tooLarge, loss } = boundedJsonText(value, maxBytes)
  if (tooLarge) return [Ended.TOO_LARGE, '']
  if (problem !== null) return loss === null ? [Ended.NOT_JSON, problem] : [Ended.NOT_JSON, lossText(loss), loss.path]
  if (text === undefined || value === null) return [Ended.NOTHING, '']
  const lost = loss === null ? '' : `result_not_json: ${lossText(loss)}`
  if (loss !== null && refusesLoss && isSuccess(value)) return [Ended.NOT_JSON, lossText(loss), loss.path]
  // Most texts have no such escape.
  const whole = text.includes(String.raw`\ud`) ? wellFormed(text) : text
  const notes = [lost, whole === text ? '' : HALF_CHARACTER].filter(note => note !== '')
  return notes.length === 0 ? [Ended.RETURNED, whole] : [Ended.RETURNED, whole, notes.join('; ')]
}

/** Whether a handler's result says that it succeeded, in either form. @param {unknown} result */
function isSuccess(result) {
  const ok = memberOf(result, 'ok')
  return (ok === undefined ? memberOf(result, 'success') : ok) === true
}

/**
 * The end of a call that is completed from elsewhere.
 * @param {unknown} response what the handler would return, or an error that it would throw
 * @param {ResultLimits} limits
 * @returns {Promise<EncodedEnd>}
 */
async function completionEnd(response, limits) {
  if (isInstance(response, Error)) return [Ended.THREW, describeHandlerError(response, limits.maxBytes).text]
  return encodeReturned(await response, limits)
}

module.exports = { Ended, completionEnd, encodeReturned }
