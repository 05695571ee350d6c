'use strict'

// Calls whose caller may go away: an AbortSignal detaches exactly one caller, never another caller of the same call and
// never another call under the same id.

/** The reason of a cancellation, in the answer and in the audit. The signal's own reason may be a stranger's text. */
const ABORTED = 'the request was aborted'

/**
 * @typedef {import('./pending-calls.js').Start} Start
 * @typedef {import('../../index.js').CallerOptions} CallerOptions
 */

/**
 * Makes a call until its signal is aborted.
 * @param {CallerOptions | undefined} options
 * @param {(callNumber: number, reason: string) => void} cancel detaches the caller with this number
 * @param {(start: Start) => Promise<string>} run makes the call
 * @param {(callNumber: number, aborted?: string) => string | null} start `aborted`: the reason if the signal was aborted
 *   before; then nothing runs
 * @returns {Promise<string>} the answer's JSON text
 */
function runAbortable(options, cancel, run, start) {
  const signal = signalOf(options)
  if (signal === null) return run(start)
  const reason = options?.reason === undefined ? ABORTED : String(options.reason)
  if (signal.aborted) return run(callNumber => start(callNumber, reason))
  let caller = 0
  const abort = () => cancel(caller, reason)
  signal.addEventListener('abort', abort, { once: true })
  return run(callNumber => {
    caller = callNumber
    return start(callNumber)
  }).finally(() => signal.removeEventListener('abort', abort))
}

/** @param {CallerOptions | undefined} options @returns {AbortSignal | null} */
function signalOf(options) {
  const signal = options?.signal ?? null
  if (signal !== null && typeof signal.addEventListener !== 'function')
    throw new TypeError('`signal` must be an AbortSignal')
  return signal
}

module.exports = { runAbortable, signalOf }
