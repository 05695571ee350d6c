'use strict'

// The code of a library's schema (transforms, refinements, defaults), run on a call's arguments just before its handler.
// The core has validated them by the JSON Schema; confirmation, record and hash are of its JSON.

const { isThenable } = require('../values/foreign.js')
const { asStandardSchema } = require('../values/standard-schema.js')
const { ToolError } = require('../answers/errors.js')
const { clearTimeout, setTimeout } = require('../gate/timers.js')
const { issuesError } = require('./schema-issues.js')

/** The time limit for a schema that answers with a promise. */
const MAX_WAIT_MS = 5000

/**
 * @typedef {import('./schema-issues.js').ForeignIssue} ForeignIssue
 * @typedef {import('./schema-issues.js').SchemaCall} SchemaCall
 * @typedef {{ '~standard': { validate(value: unknown): unknown } }} RunnableSchema
 * @typedef {{ args: any, meta: { deadline: number | null }, signal: AbortSignal }} WithArgs the context of a call, or of a
 *   reconcile
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
  const run = (/** @type {unknown} */ args) => {
    context.args = args
    return start()
  }
  const result = schemaOutput(schema, context, call)
  return isThenable(result) ? result.then(run) : run(result)
}

/**
 * A schema's output for the arguments in `context`, or a promise of it: what it answers of itself, or later.
 * @param {RunnableSchema} schema
 * @param {WithArgs} context
 * @param {SchemaCall} call
 * @returns {unknown}
 * @throws {ToolError} VALIDATION with the schema's issues, or a {@link SchemaCodeFailure}
 */
function schemaOutput(schema, context, call) {
  const result = guarded(call, () => validated(schema, context.args))
  if (!isThenable(result)) return output(result, call)
  return settled(result, context, call).then(result => output(result, call))
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
    const stop = () => {
      end()
      reject(signal.reason)
    }
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
    const { issues } = /** @type {{ issues?: Iterable<ForeignIssue> }} */ (result)
    return issues === undefined || issues === null ? null : issuesError([...issues], call)
  })
  if (refusal !== null) throw refusal
  return /** @type {{ value: unknown }} */ (result).value
}

module.exports = { SchemaCodeFailure, runnableSchema, schemaOutput, startWithOutput }
