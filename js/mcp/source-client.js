'use strict'

// The client of an MCP session, as sources see it: what it can answer, and what it gets besides answers.

/**
 * @typedef {import('../sources/types.js').SourceClient} SourceClient
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {(method: string, params: JsonObject) => Promise<void>} Notify
 * @typedef {object} SourceClientParts
 * @property {JsonObject | undefined} capabilities
 * @property {() => string | undefined} logLevel the least severe that it wants
 * @property {(callId: string | null) => boolean} owns
 * @property {(callId: string | null | undefined) => Notify} notifier notifies it, where the call is known over the stream of its request
 * @property {(uri: string) => void} updated
 * @property {() => Promise<JsonObject>} [roots]
 */

/** From the least to the most severe. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** @param {SourceClientParts} parts @returns {SourceClient} */
function sourceClient({ capabilities = {}, logLevel, owns, notifier, updated, roots }) {
  return {
    capabilities,
    owns,
    updated,
    ...(roots === undefined || capabilities.roots === undefined ? {} : { roots }),
    get logLevel() {
      return logLevel()
    },
    log(source, params, callId) {
      if (!isWanted(params.level, logLevel())) return
      const { logger } = params
      const named = { ...params, logger: typeof logger === 'string' ? `${source}/${logger}` : source }
      // Ignores a client that has gone.
      notifier(callId)('notifications/message', named).catch(() => {})
    },
  }
}

/** @param {unknown} level @param {string | undefined} least */
function isWanted(level, least) {
  const severity = LEVELS.indexOf(String(level))
  return severity >= 0 && severity >= LEVELS.indexOf(least ?? 'debug')
}

module.exports = { LEVELS, sourceClient }
