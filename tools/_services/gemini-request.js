// Requests to the Gemini API (v1beta), and what its failures mean: it answers a wrong key with status 400.
import { codeOfStatus, createJsonRequest } from './json-request.js'

/** @typedef {import('./service-types.js').JsonObject} JsonObject */

const BASE_URL = 'https://generativelanguage.googleapis.com/v1beta'

/** @param {Pick<import('./json-request.js').JsonRequestOptions, 'apiKey' | 'timeoutMs' | 'maxBytes'> & { baseUrl?: string }} options */
export function createGeminiRequest({ baseUrl = BASE_URL, ...options }) {
  return createJsonRequest({ ...options, baseUrl, headersFor: key => ({ 'x-goog-api-key': key }), codeOf })
}

/** @param {number} status @param {JsonObject | null} answer */
function codeOf(status, answer) {
  /** @type {unknown} */
  const details = answer?.error?.details
  const isKeyWrong = Array.isArray(details) && details.some(detail => detail?.reason === 'API_KEY_INVALID')
  return isKeyWrong ? 'AUTH_ERROR' : codeOfStatus(status)
}
