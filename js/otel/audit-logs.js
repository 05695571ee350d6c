'use strict'

// Audit lines as log records of OpenTelemetry.

const names = require('./conventions.js')

const SCOPE = 'toolgate'
const EVENT_PREFIX = 'toolgate.'
/** INFO in OpenTelemetry's data model of logs: a refusal is a decision, not a fault of the process. */
const SEVERITY = { severityNumber: 9, severityText: 'INFO' }
/** The longest id in an attribute, in characters. */
const MAX_ID_CHARACTERS = 128

/** Members of a line that are attributes too, so that a backend finds records by them. @type {Record<string, string>} */
const ATTRIBUTES = {
  sessionId: names.CONVERSATION_ID,
  toolId: names.TOOL_NAME,
  callId: names.TOOL_CALL_ID,
  errorType: names.ERROR_TYPE,
}

/**
 * A sink of audit lines that emits them as log records.
 * @param {import('./index.js').LogProvider} loggerProvider
 * @returns {(line: string) => void}
 */
function auditLogs(loggerProvider) {
  if (typeof loggerProvider?.getLogger !== 'function') {
    throw new TypeError(
      '`auditLogs` takes a logger provider, such as `new LoggerProvider()` of @opentelemetry/sdk-logs',
    )
  }
  const logger = loggerProvider.getLogger(SCOPE)
  return line => {
    const body = JSON.parse(line)
    const { at, event } = body
    logger.emit({
      eventName: `${EVENT_PREFIX}${event}`,
      timestamp: new Date(at),
      ...SEVERITY,
      body,
      attributes: attributesOf(body),
    })
  }
}

/** @param {Record<string, unknown>} line */
function attributesOf(line) {
  const found = Object.entries(ATTRIBUTES).filter(([member]) => typeof line[member] === 'string')
  return Object.fromEntries(
    found.map(([member, name]) => [name, /** @type {string} */ (line[member]).slice(0, MAX_ID_CHARACTERS)]),
  )
}

module.exports = { auditLogs }
