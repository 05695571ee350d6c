'use strict'

// The host's listeners. An error that one of them throws goes to `onHandlerError`, and never to a call.

const { isThenable } = require('../values/foreign.js')
const { printOnce } = require('../tool-sets/hidden-tools.js')
const { isProduction } = require('./options.js')

/**
 * @typedef {{ toolId?: string, sessionId?: string | null }} ErrorOrigin
 */

class HostListeners {
  #options

  /** @param {() => import('../../index.js').RegistryOptions} options the host's options as they are now */
  constructor(options) {
    this.#options = options
  }

  /** Calls a listener. @param {() => unknown} listener */
  call(listener) {
    try {
      const result = listener()
      if (isThenable(result)) Promise.resolve(result).catch(error => this.error(error, {}))
    } catch (error) {
      this.error(error, {})
    }
  }

  /** Passes a warning on; without a listener it is printed. @param {import('../../index.js').CoreWarning | null} line */
  warn(line) {
    if (line === null) return
    const { onLog } = this.#options()
    if (onLog === undefined) printOnce(line)
    else this.call(() => onLog(line))
  }

  /** Reports an error of a handler, or of a listener. @param {unknown} error @param {ErrorOrigin} origin */
  error(error, origin) {
    const { onHandlerError, environment } = this.#options()
    try {
      if (onHandlerError !== undefined) ignoreRejection(onHandlerError(error, origin))
      else if (!isProduction(environment)) printError(error, origin)
    } catch {
      // The host's listener failed, and no other listener is left.
    }
  }
}

/** @param {unknown} result of the last listener */
function ignoreRejection(result) {
  if (isThenable(result)) Promise.resolve(result).catch(() => {})
}

/** @param {unknown} error @param {ErrorOrigin} origin */
function printError(error, { toolId }) {
  console.error(
    toolId === undefined ? 'toolgate: a listener threw:' : `toolgate: the handler of ${toolId} threw:`,
    error,
  )
}

module.exports = { HostListeners }
