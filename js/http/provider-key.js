'use strict'

/**
 * A provider's key as a setting gives it. One that no header can carry is refused here: the error of `fetch` would show it.
 *
 * @param {string} variable
 * @param {string | undefined} text
 * @returns {string | null} null if it is not set
 * @throws {TypeError} without the key in its message
 */
function providerKey(variable, text) {
  if (!text) return null
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new TypeError(`${variable} must be a key: visible ASCII characters, without blanks and line ends`)
}

module.exports = { providerKey }
