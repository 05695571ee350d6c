// A `fetch` for SDKs of providers: no redirects, since the key is only for the address that was set, and a bound on the answer.
import { ServiceError } from './service-errors.js'

/**
 * @param {number} maxBytes of one answer; a longer one fails while it is read
 * @returns {typeof fetch}
 */
export const boundedFetch = maxBytes => async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' })
  const { body, status, statusText, headers } = response
  return body === null ? response : new Response(body.pipeThrough(bounded(maxBytes)), { status, statusText, headers })
}

/** @param {number} maxBytes @returns {TransformStream<Uint8Array, Uint8Array>} */
function bounded(maxBytes) {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length
      if (size > maxBytes) controller.error(new ServiceError('UNAVAILABLE', 'the answer is too large'))
      else controller.enqueue(chunk)
    },
  })
}
