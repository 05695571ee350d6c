'use strict'

// The host's listeners. An error that one of them throws goes to `onHandlerError`, and never to a call.

const { isThenable } = require('../values/foreign.js')
const { hiddenTools, hiddenToolsLine, printOnce } = require('../tool-sets/hidden-tools.js')
const { isProduction } = require('./options.js')

/**
 * @typedef {{ toolId?: string, sessionId?: string | null }} ErrorOrigin
 */

class HostListeners {
  #options
  /** The tool set whose hidden tools were named. @type {object | null} */
  #named = null

  /** @param {() => import('../../index.js').RegistryOptions} options the host's options as they are now */
  constructor(options) {
    this.#options = options
  }

  /** The host's options as they are now. */
  get options() {
    return this.#options()
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

  /**
   * Names the tools of a set that are hidden, once: at the load, or, where the services come with a session, at the first one.
   * @param {import('../tool-sets/tool-set.js').ToolSet} set @param {string[]} services
   */
  nameHidden(set, services) {
    if (this.#named === set) return
    this.#named = set
    this.warn(hiddenToolsLine(hiddenTools(set.tools.values(), services)))
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
