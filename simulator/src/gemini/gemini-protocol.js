// POST /v1beta/models/{model}:generateContent, and :streamGenerateContent?alt=sse.

import { functionsOf, textOfParts } from '../live/parse-frame.js'
import { checkRequest } from './check-gemini-request.js'
import { sendError } from './gemini-errors.js'
import { GeminiFormat } from './gemini-format.js'
import { readHistory } from './gemini-history.js'

/**
 * @import { HttpProtocol, Prepared, Problem } from '../http/answer-request.js'
 * @import { JsonObject } from '../parse-json.js'
 */

/** The path contains the API version, and starts with two slashes if the SDK has a base URL with one. */
const PATH = /^\/+v\w+\/models\/[^/:]+:(generateContent|streamGenerateContent)$/

/**
 * @param {string} path
 * @param {URLSearchParams} query
 * @returns {HttpProtocol | undefined} undefined for another path
 */
export function geminiProtocol(path, query) {
  const [, method] = PATH.exec(path) ?? []
  if (method === undefined) return undefined
  if (method === 'generateContent') return protocol(body => prepared(body, false))
  return protocol(query.get('alt') === 'sse' ? body => prepared(body, true) : () => ({ problem: NO_SSE }))
}

/** @type {Problem} */
const NO_SSE = { status: 400, message: 'the simulator streams server-sent events only: add `?alt=sse`' }

/** @param {HttpProtocol['prepare']} prepare @returns {HttpProtocol} */
const protocol = prepare => ({
  name: 'gemini',
  sendError,
  unreadable: (message, status) => ({ status, message }),
  prepare,
})

/** @param {JsonObject} body @param {boolean} streamed @returns {Prepared | { problem: Problem }} */
function prepared(body, streamed) {
  const problem = checkRequest(body)
  if (problem !== null) return { problem }
  const allowed = body.toolConfig?.functionCallingConfig?.mode !== 'NONE'
  return {
    entries: readHistory(body.contents),
    declared: allowed ? functionsOf(body) : [],
    instructions: textOfParts(body.systemInstruction),
    streamed,
    format: new GeminiFormat(body),
  }
}
