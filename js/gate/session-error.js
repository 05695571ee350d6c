'use strict'

// The exceptions of sessions that the core refused to create.

const { RegistryVersionMismatch, ToolError } = require('../answers/errors.js')

/**
 * @param {{ code: any, message: string, versions?: { expected: string, actual: string }, retryAfterMs?: number }} refusal
 * @returns {Error}
 */
function sessionError({ code, message, versions, retryAfterMs }) {
  if (code === 'REGISTRY_VERSION_MISMATCH')
    return new RegistryVersionMismatch(message, String(versions?.expected), String(versions?.actual))
  if (code === 'INVALID_OPTION') return new TypeError(message)
  if (code === 'CLOSED' || code === 'INTERNAL') return Object.assign(new Error(message), { code })
  if (typeof retryAfterMs === 'number') return new ToolError(code, message, { retryable: true, retryAfterMs })
  return new ToolError(code, message)
}

/** The value of an envelope of the core. @param {string} text JSON text: `{ value }` or `{ error }` @throws {ToolError} */
function readValue(text) {
  const { value, error } = JSON.parse(text)
  if (error !== undefined) throw new ToolError(error.code, error.message)
  return value
}

module.exports = { readValue, sessionError }
