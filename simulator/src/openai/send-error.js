// OpenAI's error body.

import { invalidRequest } from './errors.js'

/**
 * @param {import('node:http').ServerResponse} response
 * @param {Partial<import('./errors.js').ApiError>} error
 */
export function sendError(response, { status, message, type = 'server_error', param = null, code = null }) {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { message, type, param, code } }))
}

/** What the protocols of OpenAI over HTTP share (see HttpProtocol). */
export const openAiErrors = {
  sendError,
  unreadable: (message, status) => ({ ...invalidRequest(message), status }),
}
