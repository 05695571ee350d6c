// Any model of the AI SDK (package `ai`, an optional peer) as the host service `llm`.
import { codeOfStatus, secondsOf, withinTime } from './json-request.js'
import { ServiceError } from './service-errors.js'

/**
 * @param {import('ai').LanguageModel} model a provider's model, such as `openai('gpt-5')`, or a gateway's model name
 * @param {{ timeoutMs?: number }} [options] of one generation; 120000 by default
 * @returns {import('./service-types.js').LlmService}
 */
export function createAiSdkLlm(model, { timeoutMs = 120_000 } = {}) {
  const name = typeof model === 'string' ? model : model?.modelId
  if (typeof name !== 'string') throw new TypeError('`model` must be a model of the AI SDK, or the name of one')
  return {
    generate: ({ system, prompt, signal, maxOutputTokens }) =>
      withinTime(signal, timeoutMs, async bounded => {
        const ai = await import('ai')
        try {
          // The gate retries; a second retry inside would multiply the attempts.
          const request = { model, system, prompt, maxOutputTokens, maxRetries: 0, abortSignal: bounded }
          const { text } = await ai.generateText(request)
          return { text, model: name }
        } catch (error) {
          throw toServiceError(ai, error)
        }
      }),
  }
}

/**
 * Converts a known error of the AI SDK; returns any other error unchanged.
 * @param {typeof import('ai')} ai
 * @param {unknown} error
 */
function toServiceError({ APICallError, LoadAPIKeyError, NoSuchModelError }, error) {
  if (LoadAPIKeyError.isInstance(error)) return new ServiceError('AUTH_ERROR', 'the host has no key')
  if (NoSuchModelError.isInstance(error)) return new ServiceError('REJECTED', 'there is no such model')
  if (isNetworkError(error)) return new ServiceError('UNAVAILABLE', 'the connection failed')
  if (!APICallError.isInstance(error)) return error
  const { statusCode: status, responseHeaders: headers } = error
  const code = status === undefined || status < 400 ? 'UNAVAILABLE' : codeOfStatus(status)
  const retryAfter = code === 'RATE_LIMIT' ? secondsOf(headers?.['retry-after']) : undefined
  return new ServiceError(code, 'the request to the model failed', { status, retryAfter })
}

/**
 * An error of `fetch` itself that the SDK passed on, recognized by its shape, because it may be from another realm.
 * @param {unknown} error
 */
const isNetworkError = error => {
  const { name, message } = /** @type {Partial<Error> | null | undefined} */ (error) ?? {}
  return name === 'TypeError' && /^(?:fetch failed|terminated)$/.test(String(message))
}
