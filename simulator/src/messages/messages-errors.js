// Anthropic's error body.

import { freshId } from '../answer-builder.js'

/** Error types by status. @type {Record<number, string>} */
const TYPES = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/**
 * @param {{ status?: number, message: string, type?: string, details?: object }} error default of `type`: by status
 * @param {string} [requestId]
 */
export function errorBody({ status = 500, message, type = TYPES[status] ?? 'api_error', details }, requestId) {
  const error = { type, message, ...(details === undefined ? {} : { details }) }
  return { type: 'error', error, ...(requestId === undefined ? {} : { request_id: requestId }) }
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {{ status: number, message: string, type?: string }} error
 */
export function sendError(response, error) {
  const requestId = freshId('req_')
  response.writeHead(error.status, { 'content-type': 'application/json', 'request-id': requestId })
  response.end(JSON.stringify(errorBody(error, requestId)))
}
