'use strict'

const { providerKey } = require('./provider-key.js')

/**
 * The key and the endpoint of OpenAI's protocols. Both are read here and nowhere else, so that no key, and no text of a
 * user, goes to another endpoint than the one that was set.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ apiKey: string | null, baseUrl: string | undefined } | null} null if neither is set; `apiKey`: null for an
 *   endpoint that needs none, such as the simulator's; `baseUrl`: undefined means OpenAI's own
 * @throws {TypeError} if the endpoint is no URL of HTTP, or the key can't be one
 */
function openaiEndpoint(env) {
  const apiKey = providerKey('OPENAI_API_KEY', env.OPENAI_API_KEY)
  const baseUrl = checkedUrl('TOOLGATE_OPENAI_BASE_URL', env.TOOLGATE_OPENAI_BASE_URL)
  // The name that OpenAI's libraries read: who has set it means it for this key.
  const own = baseUrl ?? (apiKey === null ? undefined : checkedUrl('OPENAI_BASE_URL', env.OPENAI_BASE_URL))
  return apiKey === null && own === undefined ? null : { apiKey, baseUrl: own }
}

/** @param {string} variable @param {string | undefined} text */
function checkedUrl(variable, text) {
  if (!text) return undefined
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new TypeError(`${variable} \`${text}\` must be a URL that begins with \`https://\` or \`http://\``)
}

module.exports = { openaiEndpoint }
