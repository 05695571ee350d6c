'use strict'

// The output schemas of declarations, compiled at their first use. That of a source's tool is foreign: it may be none that can be
// compiled.

const { SchemaValidator } = require('../tool-sets/schema-validator.js')

/** @typedef {import('./call-result.js').McpTool} McpTool */

/** Declaration → compiled output schema; null if it can't be compiled. @type {WeakMap<McpTool, SchemaValidator | null>} */
const validators = new WeakMap()

/** Whether the declaration has an output schema that says what fits. @param {McpTool} declaration */
const isCompilable = declaration => declaration.outputSchema !== undefined && validatorOf(declaration) !== null

/** @param {unknown} data @param {McpTool} declaration with an output schema */
const isFit = (data, declaration) => validatorOf(declaration)?.validate(data).valid === true

/** @param {McpTool} declaration */
function validatorOf(declaration) {
  const known = validators.get(declaration)
  if (known !== undefined) return known
  const validator = compiled(declaration)
  validators.set(declaration, validator)
  return validator
}

/** @param {McpTool} declaration */
function compiled({ outputSchema }) {
  try {
    return new SchemaValidator(/** @type {import('../../index.js').JsonSchema} */ (outputSchema))
  } catch {
    return null
  }
}

module.exports = { isCompilable, isFit }
