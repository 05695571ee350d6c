'use strict'

// A call as a host passes it, checked and encoded for the core.

const { argsText } = require('../values/json-text.js')
const { argsOfCall } = require('../values/received-args.js')

/**
 * @typedef {import('../../index.js').ToolCall} ToolCall
 * @typedef {{ id: string | null, name: string, args: unknown, message: { id: string, isByContent: boolean } | null }} CallRequest
 */

const UNREADABLE_ID = "the call's id contains a lone surrogate; an id must be well-formed Unicode text"

/**
 * Reads a call; the gate refuses a call without a name.
 * @param {Partial<ToolCall> | null | undefined} call
 * @returns {CallRequest}
 */
function readCall(call) {
  if (call === null || call === undefined) return { id: null, name: '', args: undefined, message: null }
  const { id, name, message } = call
  const args = argsOfCall(call)
  return { id: readCallId(id), name: typeof name === 'string' ? name : '', args, message: readMessage(message) }
}

/**
 * The user's message of a call; null if it has no usable id: then a pause begins the next turn.
 * @param {ToolCall['message']} message
 */
function readMessage(message) {
  const { id, byContent } = message ?? {}
  return typeof id === 'string' && id.isWellFormed() ? { id, isByContent: byContent === true } : null
}

/**
 * Encodes a call for the core. An id with a lone surrogate is refused: in UTF-8, several such ids would become one, and
 * two calls would share a record.
 * @param {CallRequest} request
 */
function encodeCall({ id, name, args, message }) {
  if (id !== null && !id.isWellFormed()) return { id: null, name, args: '', unwritable: UNREADABLE_ID, message }
  const { text, problem } = argsText(args)
  return { id, name, args: text, unwritable: problem, message }
}

/**
 * Passes a call to the core. Each argument takes time to pass, and most calls have no more than four.
 * @param {ReturnType<import('../../native.js').NativeSession['executeFunction']>} execute
 * @param {number} callNumber
 * @param {ReturnType<typeof encodeCall>} encoded
 * @param {string} [aborted] why its caller has stopped waiting, if it has
 */
function passCall(execute, callNumber, { id, name, args, unwritable, message }, aborted) {
  if (unwritable === null && message === null && aborted === undefined) return execute(callNumber, id, name, args)
  return execute(callNumber, id, name, args, unwritable, aborted, message?.id, message?.isByContent === true ? 1 : 0)
}

/**
 * The arguments' text that may be shown, masked; null if the arguments were not JSON.
 * @param {{ args: string | null, unwritable: string | null }} call
 */
const shownText = ({ args, unwritable }) => (unwritable === null ? args : null)

/**
 * An id as a string; null unless it is a string or a number: all objects would become one id, `[object Object]`.
 * @param {unknown} id
 */
function readCallId(id) {
  if (typeof id === 'string') return id
  return typeof id === 'number' || typeof id === 'bigint' ? String(id) : null
}

/** A call as listeners get it. @param {CallRequest} call */
const heardCall = ({ name, args, id }) => ({ name, args, id })

module.exports = { encodeCall, heardCall, passCall, readCall, readCallId, shownText }
