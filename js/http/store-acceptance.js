'use strict'

// The signal by which an operator lets a running server use a store that has lost its data.

/** SIGUSR1 starts Node's debugger. */
const SIGNAL = 'SIGUSR2'

/** @type {typeof import('./index').acceptStoreOnSignal} */
function acceptStoreOnSignal(acceptStore, logger) {
  // Windows has no such signal.
  if (process.platform === 'win32') return () => {}
  const accept = async () => {
    try {
      await acceptStore()
      logger.warn('the store is used as it is now', { signal: SIGNAL })
    } catch (error) {
      logger.error('the store could not be accepted', { signal: SIGNAL, error: /** @type {Error} */ (error).message })
    }
  }
  process.on(SIGNAL, accept)
  return () => void process.off(SIGNAL, accept)
}

module.exports = { acceptStoreOnSignal }
