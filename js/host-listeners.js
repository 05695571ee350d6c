'use strict'

// The host's listeners. An error that one of them throws goes to `onHandlerError`, and never to a call.

/**
 * @typedef {{ toolId?: string, sessionId?: string | null }} ErrorOrigin
 * @typedef {import('../index.js').RegistryOptions['onHandlerError']} OnHandlerError
 */

class HostListeners {
  #onHandlerError

  /** @param {() => OnHandlerError} onHandlerError the host's listener to errors, if it has one now */
  constructor(onHandlerError) {
    this.#onHandlerError = onHandlerError
  }

  /** Calls a listener. @param {() => unknown} listener */
  call(listener) {
    try {
      const result = /** @type {Partial<Promise<unknown>> | null | undefined} */ (listener())
      if (typeof result?.then === 'function') {
        result.then(undefined, (/** @type {unknown} */ error) => this.error(error, {}))
      }
    } catch (error) {
      this.error(error, {})
    }
  }

  /** Reports an error of a handler, or of a listener. @param {unknown} error @param {ErrorOrigin} origin */
  error(error, origin) {
    const onHandlerError = this.#onHandlerError() ?? defaultHandlerError
    try {
      onHandlerError(error, origin)
    } catch {
      // The host's listener failed, and no other listener is left.
    }
  }
}

/** @param {unknown} error @param {ErrorOrigin} origin */
function defaultHandlerError(error, { toolId }) {
  if (process.env.NODE_ENV === 'production') return
  console.error(
    toolId === undefined ? 'toolgate: a listener threw:' : `toolgate: the handler of ${toolId} threw:`,
    error,
  )
}

module.exports = { HostListeners }
