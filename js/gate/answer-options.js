'use strict'

/** The longest `via`, in characters: it goes into audit lines. */
const MAX_VIA = 64

/**
 * The way in which a user's answer came; null if the host does not say.
 * @param {import('../../index.js').AnswerOptions | undefined} options
 */
function viaOf(options) {
  if (options !== undefined && options !== null && typeof options !== 'object')
    throw new TypeError("the options of an answer must be an object, such as `{ via: 'page' }`")
  const via = options?.via ?? null
  if (via === null) return null
  if (typeof via !== 'string' || via === '' || via.length > MAX_VIA || !via.isWellFormed())
    throw new TypeError(`\`via\` must be a text of 1 to ${MAX_VIA} characters, such as \`page\` or \`speech\``)
  return via
}

/** The longest reason of a denial, in characters: it goes into audit lines. */
const MAX_REASON = 1000

/** A longer reason is cut. @param {unknown} reason */
const reasonOf = reason =>
  reason === undefined || reason === null ? null : String(reason).slice(0, MAX_REASON).toWellFormed()

module.exports = { reasonOf, viaOf }
