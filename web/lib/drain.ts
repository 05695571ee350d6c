// Whether the server is ending: a request that waits for news is answered then, and its connection closed.
import { setMaxListeners } from 'node:events'

// On `globalThis`: routes are bundled separately.
const KEY = Symbol.for('toolgate.web.drain')
const shared = globalThis as { [KEY]?: AbortController }

function controller(): AbortController {
  if (shared[KEY] === undefined) {
    shared[KEY] = new AbortController()
    // Each waiting request has a listener.
    setMaxListeners(0, shared[KEY].signal)
  }
  return shared[KEY]
}

/** Aborts when the server is ending. */
export const closing = (): AbortSignal => controller().signal

export const startDraining = (): void => controller().abort()
