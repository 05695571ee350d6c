'use strict'
// The message of an event. An SDK's object is read in place; a text, or its bytes, is parsed once.
const { isAnyArrayBuffer } = require('node:util/types')

/** The longest text of a message: enough for the largest collected arguments with escapes. */
const MAX_FRAME_LENGTH = 64 * 1024 * 1024
/** What streams of server-sent events end with, and what a comment begins with: some servers send one as an event, to keep the stream alive. */
const [STREAM_END, COMMENT] = ['[DONE]', ':']

/**
 * @typedef {Record<string, unknown>} Message unchecked members
 * @typedef {{ message: Message, problem?: undefined } | { message?: undefined, problem: string } | 'end' | 'comment'} EventObject `end`: the event ends a stream; `comment`: it says nothing
 */

/**
 * @param {unknown} event
 * @returns {EventObject} `problem`: the event is no message
 */
function eventObject(event) {
  if (typeof event === 'string') return parsed(event)
  if (ArrayBuffer.isView(event)) return decoded(Buffer.from(event.buffer, event.byteOffset, event.byteLength))
  if (isAnyArrayBuffer(event)) return decoded(Buffer.from(event))
  if (typeof event === 'object' && event !== null) return checked(event)
  return { problem: `an event must be an object, text or bytes, not ${event === null ? null : typeof event}` }
}

/** @param {Buffer} bytes @returns {EventObject} */
function decoded(bytes) {
  if (bytes.length > MAX_FRAME_LENGTH) return tooLong(`${bytes.length} bytes`)
  try {
    return parsed(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return { problem: 'the frame is not UTF-8 text' }
  }
}

/** @param {string} text @returns {EventObject} */
function parsed(text) {
  if (text.length > MAX_FRAME_LENGTH) return tooLong(`${text.length} characters`)
  if (text.length < 16 && text.trim() === STREAM_END) return 'end'
  if (text.startsWith(COMMENT) || (text.length < 1024 && text.trim() === '')) return 'comment'
  let value
  try {
    value = JSON.parse(text)
  } catch {
    // The engine's message quotes the text, which may hold anything.
    return { problem: "the frame can't be read: it is not JSON" }
  }
  return checked(value)
}

/** @param {unknown} value @returns {EventObject} */
function checked(value) {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { message: /** @type {Message} */ (value) }
  }
  const what = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  return { problem: `the frame must be a JSON object, not ${what}` }
}

/** @param {string} size @returns {EventObject} */
const tooLong = size => ({ problem: `the frame has ${size}, more than ${MAX_FRAME_LENGTH}` })

module.exports = { STREAM_END, eventObject }
