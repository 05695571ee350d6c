'use strict'

// The exception of a session that the core refused to create.

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

module.exports = { sessionError }
