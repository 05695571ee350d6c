// Gemini's image models over the Gemini API (v1beta, `POST /models/<model>:generateContent`) as a generator for `createImageService`.
import { DEFAULT_MODELS } from 'toolgate/http'
import { createGeminiRequest } from './gemini-request.js'
import { ServiceError } from './service-errors.js'

/** @type {Record<import('./image-service.js').ImageRequest['size'], string>} */
const ASPECT_RATIOS = { square: '1:1', landscape: '4:3', portrait: '3:4' }
/** Base64 of an image of 20 MB. */
const MOST_BYTES = 28_000_000

/**
 * The API has no idempotency key: after a lost answer an image may have been generated and charged.
 *
 * @param {object} options
 * @param {import('./json-request.js').ApiKey} options.apiKey the API key, or a function that gives it
 * @param {string} [options.model] a model that answers with an image; `DEFAULT_MODELS.geminiImages` of `toolgate/http` by default
 * @param {number} [options.timeoutMs] of one request; 80000 by default
 * @param {string} [options.baseUrl] another server of this API: https, or this machine
 * @returns {import('./image-service.js').ImageGenerator}
 */
export function createGeminiImages({ apiKey, model = DEFAULT_MODELS.geminiImages, timeoutMs = 80_000, baseUrl }) {
  const request = createGeminiRequest({ baseUrl, apiKey, timeoutMs, maxBytes: MOST_BYTES })
  const path = `/models/${encodeURIComponent(model)}:generateContent`
  return {
    async generate({ prompt, size }, { signal }) {
      const body = {
        contents: [{ role: 'user', parts: [{ text: prompt }] }],
        generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: ASPECT_RATIOS[size] } },
      }
      const answer = await request('POST', path, { body, signal })
      return { bytes: bytesOf(answer), model }
    },
  }
}

/**
 * If the safety filter blocks a prompt, the API returns a success without an image.
 * @param {import('./service-types.js').JsonObject} answer
 */
function bytesOf({ candidates }) {
  const [candidate] = Array.isArray(candidates) ? candidates : []
  const parts = Array.isArray(candidate?.content?.parts) ? candidate.content.parts : []
  const data = parts
    .map((/** @type {any} */ part) => part?.inlineData?.data)
    .find((/** @type {unknown} */ one) => typeof one === 'string')
  if (data !== undefined) return Buffer.from(data, 'base64')
  throw new ServiceError('REJECTED', 'no image was made of this prompt')
}
