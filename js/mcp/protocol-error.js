'use strict'

// Errors that the SDK answers as JSON-RPC errors: it takes their `code` and `data`.

const METHOD_NOT_FOUND = -32_601
/** MCP uses it for unknown tools too. */
const INVALID_PARAMS = -32_602

/** @param {string} message @param {object} [data] */
const invalidParams = (message, data) =>
  Object.assign(new Error(message), { code: INVALID_PARAMS, ...(data && { data }) })

const methodNotFound = () => Object.assign(new Error('Method not found'), { code: METHOD_NOT_FOUND })

module.exports = { invalidParams, methodNotFound }
