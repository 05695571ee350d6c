'use strict'

// Schemas as MCP clients get them: as they are, since MCP reads JSON Schema 2020-12. Many clients check results as draft-07 all the
// same (the TypeScript SDK 1, older AJVs), and refuse what fits. They get no output schema that draft-07 reads otherwise.

/** Members that are schemas, lists of schemas, and objects of schemas. */
const ONE = new Set(
  'items additionalItems additionalProperties propertyNames not if then else contains unevaluatedProperties unevaluatedItems'.split(
    ' ',
  ),
)
const LIST = new Set('allOf anyOf oneOf prefixItems items'.split(' '))
const NAMED = new Set('properties patternProperties $defs definitions dependentSchemas'.split(' '))
/** What draft-07 does not know, reads otherwise, or refuses if another tool has the same (`$id`). */
const OTHERWISE = new Set(
  'prefixItems unevaluatedItems unevaluatedProperties dependentRequired dependentSchemas minContains maxContains $dynamicRef $dynamicAnchor $anchor $id $schema $vocabulary'.split(
    ' ',
  ),
)
const ANNOTATIONS = new Set(
  '$ref title description default examples deprecated readOnly writeOnly $comment $defs definitions'.split(' '),
)

/** @typedef {import('./call-result.js').McpTool} McpTool */

/** A declaration for clients. @param {McpTool} tool @returns {McpTool} */
function published({ outputSchema, ...tool }) {
  // The dialect of the root is the protocol's: a schema library writes it, and a client that does not know it throws.
  const { $schema: _dialect, ...schema } = outputSchema ?? {}
  return outputSchema === undefined || !readsAlike(schema) ? tool : { ...tool, outputSchema: schema }
}

/** Whether both drafts read a schema alike. @param {any} schema foreign, of unchecked members @returns {boolean} */
function readsAlike(schema) {
  if (typeof schema !== 'object' || schema === null) return true
  const names = Object.keys(schema)
  if (names.some(name => OTHERWISE.has(name)) || Array.isArray(schema.items)) return false
  // Draft-07 ignores what is beside a reference.
  if (names.includes('$ref') && !names.every(name => ANNOTATIONS.has(name))) return false
  return names.every(name => subschemas(name, schema[name]).every(readsAlike))
}

/** @param {string} name @param {any} value @returns {unknown[]} */
function subschemas(name, value) {
  if (Array.isArray(value)) return LIST.has(name) ? value : []
  if (NAMED.has(name)) return Object.values(value ?? {})
  return ONE.has(name) ? [value] : []
}

module.exports = { published }
