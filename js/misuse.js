'use strict'

// The core's complaints about a host's misuse, as the TypeErrors they are.

/** Where in our own text for the core it stood says nothing to a host. */
const misused = cause => new TypeError(cause.message.replace(/ at line \d+ column \d+$/, ''), { cause })

/** Calls the core with what a host gave. */
function misuse(call) {
  try {
    return call()
  } catch (cause) {
    throw misused(cause)
  }
}

module.exports = { misuse, misused }
