'use strict'

const { endpointUrl } = require('./endpoint-url.js')
const { providerKey } = require('./provider-key.js')

/**
 * The key and the endpoint of OpenAI's protocols. Both are read here and nowhere else, so that no key, and no text of a
 * user, goes to another endpoint than the one that was set.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ apiKey: string | null, baseUrl: string | undefined } | null} null if neither is set; `apiKey`: null for an
 *   endpoint that needs none, such as the simulator's; `baseUrl`: undefined means OpenAI's own
 * @throws {TypeError} if the endpoint or the key can't be used
 */
function openaiEndpoint(env) {
  const apiKey = providerKey('OPENAI_API_KEY', env.OPENAI_API_KEY)
  const baseUrl = endpointUrl('TOOLGATE_OPENAI_BASE_URL', env.TOOLGATE_OPENAI_BASE_URL, apiKey)
  // The name that OpenAI's libraries read: who has set it means it for this key.
  const own = baseUrl ?? (apiKey === null ? undefined : endpointUrl('OPENAI_BASE_URL', env.OPENAI_BASE_URL, apiKey))
  return apiKey === null && own === undefined ? null : { apiKey, baseUrl: own }
}

module.exports = { openaiEndpoint }
