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

export const isDraining = (): boolean => controller().signal.aborted

export const startDraining = (): void => controller().abort()

/** Waits for a time, or until the server is ending. */
export function pause(ms: number): Promise<void> {
  const { signal } = controller()
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    if (signal.aborted) done()
    else signal.addEventListener('abort', done)
  })
}
