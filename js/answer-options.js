'use strict'

/** The longest way of an answer, in characters: it is in audit lines. */
const MAX_VIA = 64

/**
 * The way in which a user's answer came; null if the host does not say.
 * @param {import('../index.js').AnswerOptions | undefined} options
 */
function viaOf(options) {
  const via = options?.via ?? null
  if (via === null) return null
  if (typeof via !== 'string' || via === '' || via.length > MAX_VIA || !via.isWellFormed())
    throw new TypeError(`\`via\` must be a text of 1 to ${MAX_VIA} characters, such as \`page\` or \`speech\``)
  return via
}

module.exports = { viaOf }
