// Selects the model: OpenAI, or the endpoint that is set in its place, if a key is set; else the simulator, else none. Read at run time, never at build time.
import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModel } from 'ai'
import { DEFAULT_MODELS, openaiEndpoint } from 'toolgate/http'
import { RequestRefusal } from './request-refusal'

export type ProviderKind = 'openai' | 'simulator' | 'none'

export function providerKind(): ProviderKind {
  const endpoint = openaiEndpoint(process.env)
  if (endpoint === null) return 'none'
  return endpoint.apiKey === null ? 'simulator' : 'openai'
}

/** @throws RequestRefusal 503 if neither a key nor a simulator is set */
export function languageModel(): LanguageModel {
  const modelId = process.env.TOOLGATE_OPENAI_MODEL || DEFAULT_MODELS.chat
  const endpoint = openaiEndpoint(process.env)
  if (endpoint === null) {
    const advice = 'set `OPENAI_API_KEY`, or `TOOLGATE_OPENAI_BASE_URL` to the address of the simulator'
    throw new RequestRefusal(503, 'NO_PROVIDER', `no model provider is set up: ${advice}`)
  }
  const { apiKey, baseUrl: baseURL } = endpoint
  return createOpenAI({ baseURL, apiKey: apiKey ?? 'none' }).chat(modelId)
}

/** The user's message for a provider failure; the log has the details. */
export function describeProviderFailure(error: unknown): string {
  const { statusCode, lastError } = error as { statusCode?: unknown; lastError?: unknown }
  const status = statusCode ?? (lastError as { statusCode?: unknown } | undefined)?.statusCode
  const who = providerKind() === 'simulator' ? 'the simulator' : 'the model provider'
  return typeof status === 'number'
    ? `${who} answered with status ${status}`
    : `${who} could not be reached or broke off`
}
