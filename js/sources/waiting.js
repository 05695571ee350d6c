'use strict'

/** @param {number} ms none if it is not positive */
const paused = ms => (ms > 0 ? new Promise(resolve => setTimeout(resolve, ms)) : undefined)

/** The promise's result, or the signal's reason if that comes first. @template T @param {AbortSignal} signal @param {Promise<T>} promise @returns {Promise<T>} */
async function unlessAborted(signal, promise) {
  signal.throwIfAborted()
  /** @type {() => void} */
  let abort = () => {}
  /** @type {Promise<never>} */
  const aborted = new Promise((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

module.exports = { paused, unlessAborted }
