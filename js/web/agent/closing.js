'use strict'

// When the process is to end. A server that waits for its connections would wait forever for a page that asks again and again.

const { setMaxListeners } = require('node:events')

const SIGNALS = /** @type {const} */ (['SIGTERM', 'SIGINT'])

/** @type {AbortController | null} */
let controller = null

/**
 * Aborts at a signal that the host handles; absent while it handles none. Such a signal ends the process, and a listener of ours would
 * prevent that.
 * @returns {AbortSignal | undefined}
 */
function processClosing() {
  if (controller !== null) return controller.signal
  const handled = SIGNALS.filter(name => process.listenerCount(name) > 0)
  if (handled.length === 0) return undefined
  const closing = new AbortController()
  // Each waiting request has a listener.
  setMaxListeners(0, closing.signal)
  for (const name of handled) process.once(name, () => closing.abort())
  controller = closing
  return closing.signal
}

module.exports = { processClosing }
