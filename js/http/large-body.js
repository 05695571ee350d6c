'use strict'

// Large bodies of requests are parsed one by one, each in a turn of the event loop of its own: other requests are answered between two of
// them, however many strangers send bodies up to the limit.

/** A body above it takes milliseconds to parse. */
const LARGE = 256 * 1024

/** @type {Promise<unknown>} */
let last = Promise.resolve()

/**
 * Resolves when a body of this size may be parsed; of a small one at once.
 * @param {number} size in bytes or characters
 */
async function turnToParse(size) {
  if (size <= LARGE) return
  last = last.then(() => new Promise(resolve => setImmediate(resolve)))
  await last
}

module.exports = { turnToParse }
