'use strict'

// A schema of the AI SDK that is declared to the model but accepts everything: the gate validates.

/** How `asSchema` of the AI SDK distinguishes a ready schema from a Zod one. */
const AI_SDK_SCHEMA = Symbol.for('vercel.ai.schema')

/**
 * @param {object} jsonSchema the declared parameters
 * @param {(value: unknown) => unknown} [read] converts the value that the AI SDK has parsed
 */
const toUncheckedSchema = (jsonSchema, read = value => value) => ({
  [AI_SDK_SCHEMA]: true,
  _type: undefined,
  jsonSchema,
  /** @param {unknown} value */
  validate: value => ({ success: true, value: read(value) }),
})

module.exports = { toUncheckedSchema }
