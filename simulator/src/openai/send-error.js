// OpenAI's error body.

import { invalidRequest } from './openai-errors.js'

/**
 * @param {import('node:http').ServerResponse} response
 * @param {import('../http/answer-request.js').Problem} error
 */
export function sendError(response, { status, message, type = 'server_error', param = null, code = null }) {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { message, type, param, code } }))
}

/**
 * The members of HttpProtocol that OpenAI's HTTP protocols share.
 *
 * @type {Pick<import('../http/answer-request.js').HttpProtocol, 'sendError' | 'unreadable'>}
 */
export const openAiErrors = {
  sendError,
  unreadable: (message, status) => ({ ...invalidRequest(message), status }),
}
