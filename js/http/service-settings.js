'use strict'

const { endpointUrl } = require('./endpoint-url.js')
const { openaiEndpoint } = require('./openai-endpoint.js')
const { providerKey } = require('./provider-key.js')

/**
 * What the services of the shipped tools use. A key goes only to the address that is set for its provider; an endpoint
 * without a key, such as the simulator's, serves no tool.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {import('./index').ToolServiceSettings}
 * @throws {TypeError} if a key or an endpoint can't be used
 */
function toolServiceSettings(env) {
  const openai = openaiEndpoint(env)
  return {
    openai: access(openai?.apiKey ?? null, openai?.baseUrl),
    gemini: ownAccess('GEMINI', env.GEMINI_API_KEY, env.TOOLGATE_GEMINI_BASE_URL),
    brave: ownAccess('BRAVE', env.BRAVE_API_KEY, env.TOOLGATE_BRAVE_BASE_URL),
    model: env.TOOLGATE_TOOLS_MODEL || undefined,
    searchModel: env.TOOLGATE_SEARCH_MODEL || undefined,
    imageModel: env.TOOLGATE_IMAGE_MODEL || undefined,
    knowledgeFile: env.TOOLGATE_KNOWLEDGE_FILE || undefined,
    calendarFolder: env.TOOLGATE_CALENDAR_FOLDER || undefined,
  }
}

/** @param {'GEMINI' | 'BRAVE'} provider @param {string} [key] @param {string} [baseUrl] */
function ownAccess(provider, key, baseUrl) {
  const apiKey = providerKey(`${provider}_API_KEY`, key)
  return access(apiKey, endpointUrl(`TOOLGATE_${provider}_BASE_URL`, baseUrl, apiKey))
}

/** @param {string | null} apiKey @param {string} [baseUrl] */
const access = (apiKey, baseUrl) => (apiKey === null ? null : { apiKey, baseUrl })

module.exports = { toolServiceSettings }
