// OpenAI's Images API (v1, `POST /images/generations`) as a generator for `createImageService`.
import { DEFAULT_MODELS } from 'toolgate/http'
import { createJsonRequest } from './json-request.js'
import { ServiceError } from './service-errors.js'

const BASE_URL = 'https://api.openai.com/v1'
/** @type {Record<import('./image-service.js').ImageRequest['size'], string>} */
const SIZES = { square: '1024x1024', landscape: '1536x1024', portrait: '1024x1536' }
/** Base64 of an image of 20 MB. */
const MOST_BYTES = 28_000_000

/**
 * @param {object} options
 * @param {import('./json-request.js').ApiKey} options.apiKey the API key, or a function that gives it
 * @param {string} [options.model] `DEFAULT_MODELS.openaiImages` of `toolgate/http` by default; the model must answer with `b64_json`
 * @param {number} [options.timeoutMs] of one request; 80000 by default
 * @param {string} [options.baseUrl] another server of this API: https, or this machine
 * @returns {import('./image-service.js').ImageGenerator}
 */
export function createOpenAiImages({
  apiKey,
  model = DEFAULT_MODELS.openaiImages,
  timeoutMs = 80_000,
  baseUrl = BASE_URL,
}) {
  /** @param {string} key */
  const headersFor = key => ({ authorization: `Bearer ${key}` })
  const request = createJsonRequest({ baseUrl, apiKey, headersFor, timeoutMs, maxBytes: MOST_BYTES })
  return {
    async generate({ prompt, size }, { idempotencyKey, signal }) {
      const body = { model, prompt, n: 1, size: SIZES[size] }
      const headers = { 'idempotency-key': idempotencyKey }
      const answer = await request('POST', '/images/generations', { body, headers, signal })
      const base64 = answer.data?.[0]?.b64_json
      if (typeof base64 !== 'string') throw new ServiceError('UNAVAILABLE', 'the answer has no image')
      return { bytes: Buffer.from(base64, 'base64'), model }
    },
  }
}
