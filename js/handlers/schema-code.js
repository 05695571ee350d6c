'use strict'

// The code of a library's schema (transforms, refinements, defaults), run on a call's arguments just before its handler.
// The core has validated them by the JSON Schema; confirmation, record and hash are of its JSON.

const { pointer } = require('../values/json-pointer.js')
const { asStandardSchema } = require('../values/standard-schema.js')
const { ToolError } = require('../answers/errors.js')

/** The most issues of one answer, and of its message, as for the core's own. */
const MAX_ISSUES = 100
const MAX_ISSUES_IN_MESSAGE = 5
const MAX_ISSUE_CHARACTERS = 500
/** The time limit for a schema that answers with a promise. */
const MAX_WAIT_MS = 5000

/**
 * @typedef {{ message?: unknown, path?: readonly unknown[] }} SchemaIssue
 * @typedef {{ '~standard': { validate(value: unknown): unknown } }} RunnableSchema
 * @typedef {{ args: any, meta: { deadline: number | null }, signal: AbortSignal }} WithArgs the context of a call, or of a
 *   reconcile
 * @typedef {{ toolId: string, shownArgs(): string | null, argsText: string, hasSensitive(): boolean }} SchemaCall
 *   `shownArgs` and `argsText`: the arguments as JSON text, with sensitive values masked and as they are
 */

/** INTERNAL: the schema threw, or did not answer. Its cause is reported to the host. */
class SchemaCodeFailure extends ToolError {
  /** @param {string} message @param {unknown} cause */
  constructor(message, cause) {
    super('INTERNAL', message, { cause, retryable: false, partialSideEffects: false })
  }
}

/**
 * The schema in a handler's or schema module's `parameters` that has code to run; undefined for JSON Schema.
 * @param {unknown} parameters
 * @returns {RunnableSchema | undefined}
 */
function runnableSchema(parameters) {
  const schema = asStandardSchema(parameters)
  return typeof schema?.['~standard'].validate === 'function' ? /** @type {RunnableSchema} */ (schema) : undefined
}

/**
 * Starts a handler with the schema's output as its arguments. Synchronous if the schema is.
 * @param {RunnableSchema} schema
 * @param {WithArgs} context its `args` are replaced
 * @param {SchemaCall} call
 * @param {() => unknown} start
 * @returns {unknown} the handler's result
 * @throws {ToolError} VALIDATION with the schema's issues, or a {@link SchemaCodeFailure}: the handler has not started
 */
function startWithOutput(schema, context, call, start) {
  const run = (/** @type {unknown} */ result) => {
    context.args = output(result, call)
    return start()
  }
  const result = guarded(call, () => validated(schema, context.args))
  if (typeof (/** @type {Partial<PromiseLike<unknown>> | null} */ (result)?.then) !== 'function') return run(result)
  return settled(/** @type {PromiseLike<unknown>} */ (result), context, call).then(run)
}

/**
 * The standard `validate` of Zod first tries without promises: it starts each asynchronous check twice, and drops the first
 * promise, whose rejection would end the process.
 * @param {RunnableSchema & { _zod?: unknown, safeParseAsync?: (value: unknown) => Promise<any> }} schema
 * @param {unknown} value
 */
function validated(schema, value) {
  if (schema._zod === undefined || typeof schema.safeParseAsync !== 'function')
    return schema['~standard'].validate(value)
  return schema.safeParseAsync(value).then(({ data, error }) => (error ? { issues: error.issues } : { value: data }))
}

/** @param {SchemaCall} call @param {() => unknown} validate */
function guarded({ toolId }, validate) {
  try {
    return validate()
  } catch (cause) {
    throw failed(toolId, cause)
  }
}

/** @param {string} toolId @param {unknown} cause */
const failed = (toolId, cause) => new SchemaCodeFailure(`the schema of \`${toolId}\` failed unexpectedly`, cause)

/**
 * A promise of the schema, unless the call ends or its time is over before. Half of the call's time at most: past its
 * deadline the core could not know that nothing was done.
 * @param {PromiseLike<unknown>} result
 * @param {WithArgs} context
 * @param {SchemaCall} call
 */
function settled(result, { meta: { deadline }, signal }, { toolId }) {
  const ms = Math.min(MAX_WAIT_MS, deadline === null ? Infinity : Math.max(0, (deadline - Date.now()) / 2))
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    const timer = setTimeout(() => {
      const message = `the schema of \`${toolId}\` did not answer within ${Math.round(ms)} ms`
      reject(new SchemaCodeFailure(message, new Error(message)))
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
    Promise.resolve(result)
      .then(resolve, cause => reject(failed(toolId, cause)))
      .finally(end)
    if (signal.aborted) stop()
  })
}

/** @param {unknown} result of the schema @param {SchemaCall} call @returns {unknown} */
function output(result, call) {
  const refusal = guarded(call, () => {
    const { issues } = /** @type {{ issues?: Iterable<SchemaIssue> }} */ (result)
    return issues === undefined || issues === null ? null : refused([...issues], call)
  })
  if (refusal !== null) throw refusal
  return /** @type {{ value: unknown }} */ (result).value
}

/** @param {SchemaIssue[]} given @param {SchemaCall} call @returns {ToolError} VALIDATION, as the core answers it */
function refused(given, call) {
  const isShown = call.hasSensitive() ? shownPlaces(call) : () => true
  const issues = given.slice(0, MAX_ISSUES).map(issue => described(issue, isShown))
  const messages = issues.slice(0, MAX_ISSUES_IN_MESSAGE).map(({ message }) => message)
  if (issues.length > messages.length) messages.push(`and ${issues.length - messages.length} more`)
  const message = `the arguments of \`${call.toolId}\` do not fit: ${messages.join('; ')}`
  return new ToolError('VALIDATION', message, { details: issues, retryable: false, partialSideEffects: false })
}

/**
 * @param {SchemaIssue} issue
 * @param {(names: string[], message: string) => boolean} isShown
 */
function described({ message, path }, isShown) {
  const names = [...(path ?? [])].map(nameOf)
  const instancePath = pointer(names)
  const text = String(message ?? '')
    .trim()
    .slice(0, MAX_ISSUE_CHARACTERS)
  const reason = text !== '' && isShown(names, text) ? text : "the tool's own check refuses it"
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

/**
 * Decides whether an issue's message may be shown: a library repeats values in its messages. It may not if something at,
 * below or above its place is masked, or if it contains a masked value.
 * @param {SchemaCall} call
 * @returns {(names: string[], message: string) => boolean}
 */
function shownPlaces({ shownArgs, argsText }) {
  const masked = shownArgs()
  if (masked === null) return () => false
  /** @type {{ real: any, shown: any }} */
  const pair = { real: JSON.parse(argsText), shown: JSON.parse(masked) }
  const hidden = [...hiddenTexts(pair.real, pair.shown)]
  return (names, message) => isEqualAt(pair, names) && !hidden.some(text => message.includes(text))
}

/** @param {{ real: any, shown: any }} pair @param {string[]} names */
function isEqualAt({ real, shown }, names) {
  for (const name of names) {
    if (isContainer(real) !== isContainer(shown)) return false
    real = memberOf(real, name)
    shown = memberOf(shown, name)
  }
  return JSON.stringify(real) === JSON.stringify(shown)
}

/**
 * The masked texts and numbers.
 * @param {any} real
 * @param {any} shown
 * @returns {Generator<string>}
 */
function* hiddenTexts(real, shown) {
  if (isContainer(real)) {
    for (const name of Object.keys(real)) yield* hiddenTexts(real[name], memberOf(shown, name))
  } else if (real !== shown && String(real) !== '') yield String(real)
}

/** @param {any} value @returns {value is Record<string, any>} */
const isContainer = value => typeof value === 'object' && value !== null
/** @param {any} value @param {string} name */
const memberOf = (value, name) => (isContainer(value) && Object.hasOwn(value, name) ? value[name] : undefined)

module.exports = { SchemaCodeFailure, runnableSchema, startWithOutput }
