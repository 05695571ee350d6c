'use strict'

// Calls whose caller may go away: an AbortSignal detaches exactly one caller, never another caller of the same call and
// never another call under the same id.

/** The reason of a cancellation, in the answer and in the audit. The signal's own reason may be a stranger's text. */
const ABORTED = 'the request was aborted'

/**
 * @typedef {import('./pending-calls.js').Start} Start
 * @typedef {import('../../index.js').CallerOptions} CallerOptions
 * @typedef {{ acts: Set<() => void>, listener: () => void }} Watched
 */

/**
 * The callers of each signal. A request gives its signal to all of its calls: it has one listener, because Node warns of a leak from
 * the eleventh on.
 * @type {WeakMap<AbortSignal, Watched>}
 */
const watchedSignals = new WeakMap()

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
  const stopWatching = onAbort(signal, () => cancel(caller, reason))
  return run(callNumber => {
    caller = callNumber
    return start(callNumber)
  }).finally(stopWatching)
}

/**
 * Acts once if the signal is aborted.
 * @param {AbortSignal} signal
 * @param {() => void} act
 * @returns {() => void} stops waiting for that
 */
function onAbort(signal, act) {
  const watched = watchedSignals.get(signal) ?? watch(signal)
  watched.acts.add(act)
  return () => {
    if (watched.acts.delete(act) && watched.acts.size === 0) {
      signal.removeEventListener('abort', watched.listener)
      watchedSignals.delete(signal)
    }
  }
}

/** @param {AbortSignal} signal @returns {Watched} */
function watch(signal) {
  /** @type {Watched['acts']} */
  const acts = new Set()
  const listener = () => {
    watchedSignals.delete(signal)
    for (const act of acts) act()
  }
  const watched = { acts, listener }
  watchedSignals.set(signal, watched)
  signal.addEventListener('abort', listener, { once: true })
  return watched
}

/** @param {CallerOptions | undefined} options @returns {AbortSignal | null} */
function signalOf(options) {
  const signal = options?.signal ?? null
  if (signal !== null && typeof signal.addEventListener !== 'function')
    throw new TypeError('`signal` must be an AbortSignal')
  return signal
}

module.exports = { onAbort, runAbortable, signalOf }
