'use strict'

const { argsText } = require('../values/json-text.js')

/** The longest `via`, in characters: it goes into audit lines. */
const MAX_VIA = 64

/** The options of any answer, and those of a confirmation. */
const ANSWER_OPTIONS = ['via']
const CONFIRM_OPTIONS = [...ANSWER_OPTIONS, 'signal', 'reason', 'args', 'grant']

/**
 * The way in which a user's answer came; null if the host does not say.
 * @param {import('../../index.js').AnswerOptions | undefined} options
 * @throws TypeError for an unknown option: a call whose `args` are misspelt would run as it was shown
 */
function viaOf(options, known = ANSWER_OPTIONS) {
  if (options !== undefined && options !== null && typeof options !== 'object')
    throw new TypeError("the options of an answer must be an object, such as `{ via: 'page' }`")
  const unknown = Object.keys(options ?? {}).find(name => !known.includes(name))
  if (unknown !== undefined)
    throw new TypeError(`unknown option \`${unknown}\` of an answer; there are \`${known.join('`, `')}\``)
  const via = options?.via ?? null
  if (via === null) return null
  if (typeof via !== 'string' || via === '' || via.length > MAX_VIA || !via.isWellFormed())
    throw new TypeError(`\`via\` must be a text of 1 to ${MAX_VIA} characters, such as \`page\` or \`speech\``)
  return via
}

/** A text of a page is no arguments: an empty one would mean none at all. */
const NO_ARGUMENTS = 'the arguments of a confirmation must be an object: all of them, as the user wants them'

/**
 * How a user confirms, for the core: `edited` is the JSON text of what they want instead of the shown arguments; `unwritable`
 * says why it is none; `grant` is the JSON text of what they grant for later calls.
 * @param {import('../../index.js').ConfirmOptions | undefined} options
 */
function confirmationOf(options) {
  const via = viaOf(options, CONFIRM_OPTIONS) ?? undefined
  const grant = grantText(options?.grant)
  if (options?.args === undefined) return { via, grant }
  const isObject = typeof options.args === 'object' && options.args !== null
  const { text, problem } = isObject ? argsText(options.args) : { text: '', problem: NO_ARGUMENTS }
  return { via, edited: text, unwritable: problem ?? undefined, grant }
}

/** What a page sends for a grant may be anything; the core refuses what is none. @param {unknown} grant */
function grantText(grant) {
  if (grant === undefined || grant === null) return undefined
  const { text, problem } = typeof grant === 'object' ? argsText(grant) : { text: '', problem: 'no object' }
  return problem === null ? text : ''
}

/** The longest reason of a denial, in characters: it goes into audit lines. */
const MAX_REASON = 1000

/** A longer reason is cut. @param {unknown} reason */
const reasonOf = reason =>
  reason === undefined || reason === null ? null : String(reason).slice(0, MAX_REASON).toWellFormed()

module.exports = { confirmationOf, reasonOf, viaOf }
