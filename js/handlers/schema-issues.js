'use strict'

// The issues of a library's schema as VALIDATION. A library repeats values in its messages and paths, whole or in part, escaped
// or not. Where a call has sensitive values, no text of the library is shown, and of a path only what the tool's schema names.

const { isDeepStrictEqual } = require('node:util')

const { pointer } = require('../values/json-pointer.js')
const { ToolError } = require('../answers/errors.js')

/** The most issues of one answer, and of its message, as for the core's own. */
const MAX_ISSUES = 100
const MAX_ISSUES_IN_MESSAGE = 5
const MAX_ISSUE_CHARACTERS = 500
const WITHOUT_WORDS = "the tool's own check refuses it"

/**
 * @typedef {{ message?: unknown, path?: readonly unknown[] }} ForeignIssue
 * @typedef {{ toolId: string, shownArgs(): string | null, argsText: string, fits(argsText: string): boolean,
 *   jsonSchema: import('../../index.js').JsonSchema, isSensitive: boolean }} SchemaCall `shownArgs` and `argsText`: the arguments as JSON text, with
 *   sensitive values masked and as they are; `fits`: whether arguments fit the JSON Schema; `isSensitive`: whether any can be sensitive
 * @typedef {{ hidesWords: boolean, path(names: string[]): string[] }} Shown what of an issue may be shown
 */

/** @param {ForeignIssue[]} given @param {SchemaCall} call @returns {ToolError} VALIDATION, as the core answers it */
function issuesError(given, call) {
  const shown = shownOf(call)
  const issues = given.slice(0, MAX_ISSUES).map(issue => described(issue, shown))
  const messages = issues.slice(0, MAX_ISSUES_IN_MESSAGE).map(({ message }) => message)
  if (issues.length > messages.length) messages.push(`and ${issues.length - messages.length} more`)
  const message = `the arguments of \`${call.toolId}\` do not fit: ${messages.join('; ')}`
  return new ToolError('VALIDATION', message, { details: issues, retryable: false, partialSideEffects: false })
}

/** @param {ForeignIssue} issue @param {Shown} shown */
function described({ message, path }, shown) {
  const instancePath = pointer(shown.path([...(path ?? [])].map(nameOf)))
  const words = shown.hidesWords
    ? ''
    : String(message ?? '')
        .trim()
        .slice(0, MAX_ISSUE_CHARACTERS)
  const reason = words === '' ? WITHOUT_WORDS : words
  return {
    instancePath,
    schemaPath: '#',
    keyword: 'schema-code',
    params: {},
    message: instancePath === '' ? reason : `\`${instancePath}\`: ${reason}`,
  }
}

/** A step of a path: a key, or an object with one. @param {unknown} step */
const nameOf = step => String(typeof step === 'object' && step !== null ? Reflect.get(step, 'key') : step)

/** @param {SchemaCall} call @returns {Shown} */
function shownOf({ jsonSchema, isSensitive, shownArgs, argsText }) {
  if (!isSensitive) return { hidesWords: false, path: names => names }
  const masked = shownArgs()
  /** @type {unknown} */
  const shown = masked === null ? undefined : JSON.parse(masked)
  const declared = declaredNames(JSON.stringify(jsonSchema))
  return {
    hidesWords: !isDeepStrictEqual(shown, JSON.parse(argsText)),
    path: names => names.slice(0, shownLength(names, shown, declared)),
  }
}

/**
 * How many steps of a path may be shown: up to a masked value, or the first name that the schema does not declare.
 * @param {string[]} names
 * @param {unknown} shown the arguments, masked
 * @param {Set<string>} declared
 */
function shownLength(names, shown, declared) {
  for (const [length, name] of names.entries()) {
    // A member that is not there is an absent one, such as a required one.
    if (shown !== undefined && !isContainer(shown)) return length
    const isElement = Array.isArray(shown) && /^\d{1,9}$/.test(name)
    if (!isElement && !declared.has(name)) return length
    shown = memberOf(shown, name)
  }
  return names.length
}

/** The names of all properties in a schema, at any depth. @param {string} schemaText */
function declaredNames(schemaText) {
  /** @type {Set<string>} */
  const names = new Set()
  JSON.parse(schemaText, (key, value) => {
    if (key === 'properties' && isContainer(value)) for (const name of Object.keys(value)) names.add(name)
    return value
  })
  return names
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isContainer = value => typeof value === 'object' && value !== null
/** @param {unknown} value @param {string} name */
const memberOf = (value, name) => (isContainer(value) && Object.hasOwn(value, name) ? value[name] : undefined)

module.exports = { issuesError }
