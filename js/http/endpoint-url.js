'use strict'

const { isLoopbackName } = require('./host-policy.js')

/**
 * The address of a provider as a setting gives it. A key, and what users say, are sent there: it is https, or this machine. Without a
 * key it may be http, as a simulator in another container is.
 *
 * @param {string} variable
 * @param {string | undefined} text
 * @param {string | null} apiKey
 * @returns {string | undefined} undefined if it is not set
 * @throws {TypeError} without the address in its message, which may have a password
 */
function endpointUrl(variable, text, apiKey) {
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError(`${variable} must be a URL that begins with \`https://\` or \`http://\``)
  if (url.username !== '' || url.password !== '')
    throw new TypeError(`${variable} must have no user name and no password: the key is a setting of its own`)
  if (url.protocol === 'http:' && apiKey !== null && !isLoopbackName(url.hostname))
    throw new TypeError(`${variable} must begin with \`https://\` unless it is this machine: a key is sent there`)
  return text
}

module.exports = { endpointUrl }
