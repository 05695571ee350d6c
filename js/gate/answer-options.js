'use strict'

const { argsText } = require('../values/json-text.js')

/** The longest `via`, in characters: it goes into audit lines. */
const MAX_VIA = 64

/** The options of an act of the session's user, of any answer, and of a confirmation. */
const OWN_OPTIONS = ['via']
const ANSWER_OPTIONS = [...OWN_OPTIONS, 'approver']
const CONFIRM_OPTIONS = [...ANSWER_OPTIONS, 'signal', 'reason', 'args', 'grant', 'token']

/**
 * The way in which a user's answer came; null if the host does not say.
 * @param {import('../../index.js').AnswerOptions | undefined} options
 * @throws TypeError for an unknown option: a call whose `args` are misspelt would run as it was shown
 */
function viaOf(options, known = OWN_OPTIONS) {
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

/** The bounds of an approver: names, not documents. */
const MAX_APPROVER_ROLES = 100
const MAX_APPROVER_NAME = 1000

/** @param {unknown} name */
const isName = name =>
  typeof name === 'string' && name !== '' && name.length <= MAX_APPROVER_NAME && name.isWellFormed()

/**
 * Who answers in place of the session's user, as the host knows them; undefined if the user does.
 * @param {import('../../index.js').DecisionOptions | undefined} options
 * @throws TypeError for an approver that the host can't know: nothing is decided
 */
function approverOf(options) {
  const approver = options?.approver
  if (approver === undefined) return undefined
  const { principal, roles } = Object(approver)
  const isWhole = isName(principal) && Array.isArray(roles) && roles.length <= MAX_APPROVER_ROLES && roles.every(isName)
  if (!isWhole)
    throw new TypeError(
      "`approver` must be `{ principal, roles }`, such as `{ principal: 'user-3', roles: ['manager'] }`",
    )
  return { principal, roles: [...roles] }
}

/** A text of a page is no arguments: an empty one would mean none at all. */
const NO_ARGUMENTS = 'the arguments of a confirmation must be an object: all of them, as the user wants them'

/**
 * How a user confirms, for the core: `edited` is the JSON text of what they want instead of the shown arguments; `unwritable`
 * says why it is none; `grant` is the JSON text of what they grant for later calls; `shown` is the token of the question that they
 * were shown.
 * @param {import('../../index.js').ConfirmOptions | undefined} options
 */
function confirmationOf(options) {
  const via = viaOf(options, CONFIRM_OPTIONS) ?? undefined
  const grant = grantText(options?.grant)
  const approver = approverOf(options)
  const shown = shownOf(options?.token)
  if (options?.args === undefined) return { via, grant, approver, shown }
  const isObject = typeof options.args === 'object' && options.args !== null
  const { text, problem } = isObject ? argsText(options.args) : { text: '', problem: NO_ARGUMENTS }
  return { via, edited: text, unwritable: problem ?? undefined, grant, approver, shown }
}

/**
 * The token of the question that was shown. A text that was never one names no question.
 * @param {unknown} token
 */
function shownOf(token) {
  if (token === undefined) return undefined
  return typeof token === 'string' && token.isWellFormed() ? token : ''
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

/**
 * How a user denies, for the core: why, on which way, and who if it is not the session's user.
 * @param {unknown} reason @param {import('../../index.js').DecisionOptions | undefined} options
 * @returns {[string | null, string | null, ReturnType<typeof approverOf>]}
 */
const denialOf = (reason, options) => [reasonOf(reason), viaOf(options, ANSWER_OPTIONS), approverOf(options)]

module.exports = { confirmationOf, denialOf, viaOf }
