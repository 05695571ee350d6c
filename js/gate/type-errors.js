'use strict'

// Native exceptions as TypeErrors: the core throws only if the host misuses the API.

/**
 * Converts a native exception. The position in the internal JSON text is left out.
 * @param {unknown} cause a native exception
 */
const typeErrorOf = cause =>
  new TypeError(/** @type {Error} */ (cause).message.replace(/ at line \d+ column \d+$/, ''), { cause })

/** Calls a native function; throws its exception as a TypeError. @template T @param {() => T} call */
function withTypeErrors(call) {
  try {
    return call()
  } catch (cause) {
    throw typeErrorOf(cause)
  }
}

module.exports = { withTypeErrors, typeErrorOf }
