// Imagen over the Gemini API (v1beta, `POST /models/<model>:predict`) as a generator for `createImageService`.
import { createGeminiRequest } from './gemini-request.js'
import { ServiceError } from './service-errors.js'

const MODEL = 'imagen-4.0-generate-001'
/** @type {Record<import('./image-service.js').ImageRequest['size'], string>} */
const ASPECT_RATIOS = { square: '1:1', landscape: '4:3', portrait: '3:4' }
/** Base64 of an image of 20 MB. */
const MOST_BYTES = 28_000_000

/**
 * Imagen has no idempotency key: after a lost answer an image may have been generated and charged.
 *
 * @param {object} options
 * @param {import('./json-request.js').ApiKey} options.apiKey the API key, or a function that gives it
 * @param {string} [options.model] `imagen-4.0-generate-001` by default
 * @param {number} [options.timeoutMs] of one request; 80000 by default
 * @param {string} [options.baseUrl] another server of this API: https, or this machine
 * @returns {import('./image-service.js').ImageGenerator}
 */
export function createImagen({ apiKey, model = MODEL, timeoutMs = 80_000, baseUrl }) {
  const request = createGeminiRequest({ baseUrl, apiKey, timeoutMs, maxBytes: MOST_BYTES })
  const path = `/models/${encodeURIComponent(model)}:predict`
  return {
    async generate({ prompt, size }, { signal }) {
      const parameters = { sampleCount: 1, aspectRatio: ASPECT_RATIOS[size] }
      const answer = await request('POST', path, { body: { instances: [{ prompt }], parameters }, signal })
      return { bytes: bytesOf(answer), model }
    },
  }
}

/**
 * If the safety filter blocks a prompt, the API returns a success without an image.
 * @param {import('./service-types.js').JsonObject} answer
 */
function bytesOf({ predictions }) {
  const [prediction] = Array.isArray(predictions) ? predictions : []
  if (typeof prediction?.bytesBase64Encoded === 'string') return Buffer.from(prediction.bytesBase64Encoded, 'base64')
  throw new ServiceError('REJECTED', 'no image was made of this prompt')
}
