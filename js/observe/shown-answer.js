'use strict'

// The answer of a call for people who watch calls: with what is sensitive in the call masked, as in a handler's log lines.

/**
 * @typedef {import('../../index.js').ToolResponse} ToolResponse
 * @typedef {NonNullable<import('../../index.js').CallMessage['answer']>} ShownAnswer
 * @typedef {{ names: Set<string>, values: string[] }} Terms the values with the longest first: one may contain another
 */

const MASK = '***'
/** A shorter value occurs in texts by chance; it is masked as a whole only. */
const MIN_PART_CHARS = 4

/**
 * @param {ToolResponse} response
 * @param {{ schema: unknown, args: string | null, shown: string | null }} call the tool's schema of arguments; the arguments, and
 *   their masked form, as JSON text
 * @returns {ShownAnswer | null} null if what is sensitive in it can't be found
 */
function shownAnswer(response, { schema, args, shown: shownArgs }) {
  const names = sensitiveNames(schema)
  if (!response.ok) {
    const { type, message, partialSideEffects, confirmation_request: question } = response.error
    // Written by the gate if nothing ran, which repeats no sensitive value.
    const isOfHandler = (response.meta.attempts ?? 0) > 0
    const terms = isOfHandler ? termsOf(names, args, shownArgs) : { names, values: [] }
    if (terms === null) return null
    const shown = { type, message: maskText(message, terms), ...(partialSideEffects && { partialSideEffects }) }
    return { error: { ...shown, ...(question && { preview: question.preview }) } }
  }
  const terms = termsOf(names, args, shownArgs)
  if (terms === null) return null
  const { data } = response
  return data === undefined ? {} : { data: masked(data, terms) }
}

/** The names of sensitive members at any place of a schema; null: the arguments as a whole are sensitive. @param {unknown} schema */
function sensitiveNames(schema) {
  const names = new Set()
  /** @param {unknown} part @param {string | null} name */
  const walk = (part, name) => {
    if (Array.isArray(part)) return part.forEach(item => walk(item, name))
    if (typeof part !== 'object' || part === null) return
    if (Object.hasOwn(part, 'x-sensitive') && Reflect.get(part, 'x-sensitive') === true) names.add(name)
    for (const [key, value] of Object.entries(part)) {
      if (key === 'properties' || key === '$defs' || key === 'definitions')
        for (const [member, its] of Object.entries(Object(value))) walk(its, member)
      else walk(value, name)
    }
  }
  walk(schema, null)
  return names
}

/** @param {Set<string | null>} names @param {string | null} args @param {string | null} shown @returns {Terms | null} */
function termsOf(names, args, shown) {
  if (names.size === 0) return { names: new Set(), values: [] }
  if (names.has(null) || args === null || shown === null) return null
  /** @type {Set<string>} */
  const values = new Set()
  if (!collect(JSON.parse(args), JSON.parse(shown), values)) return null
  const named = /** @type {Set<string>} */ (names)
  return { names: named, values: [...values].sort((one, other) => other.length - one.length) }
}

/**
 * Adds the values that the shown form hides. False if one of them is not in the place that it was sent in.
 * @param {unknown} sent @param {unknown} shown @param {Set<string>} into
 * @returns {boolean}
 */
function collect(sent, shown, into) {
  if (shown === MASK) {
    if (sent === undefined) return false
    addScalars(sent, into)
    return true
  }
  if (typeof shown !== 'object' || shown === null) return true
  return Object.entries(shown).every(([name, part]) => collect(Object(sent)[name], part, into))
}

/** `null` and booleans are no secrets. @param {unknown} value @param {Set<string>} into */
function addScalars(value, into) {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(part => addScalars(part, into))
  else if (typeof value === 'number' || (typeof value === 'string' && value !== '')) into.add(String(value))
}

/** @param {any} value @param {Terms} terms @returns {any} */
function masked(value, terms) {
  if (typeof value === 'string') return maskText(value, terms)
  if (typeof value === 'number') return terms.values.includes(String(value)) ? MASK : value
  if (Array.isArray(value)) return value.map(item => masked(item, terms))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [
    maskText(name, terms),
    terms.names.has(name) ? MASK : masked(member, terms),
  ])
  return Object.fromEntries(members)
}

/** @param {string} text @param {Terms} terms */
function maskText(text, { values }) {
  if (values.includes(text)) return MASK
  return values
    .filter(value => value.length >= MIN_PART_CHARS)
    .reduce((rest, part) => rest.replaceAll(part, MASK), text)
}

module.exports = { shownAnswer }
