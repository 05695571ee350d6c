// Checks the most common rules of OpenAI for function parameters: an object at the root and, for `strict` functions,
// closed objects whose properties are all required. Other strict limits are not checked.

/** @import { JsonObject } from '../parse-json.js' */

/**
 * @param {{ parameters?: JsonObject, strict?: boolean | null }} declaration
 * @returns {string | null} the problem, if any
 */
export function parametersProblem({ parameters, strict }) {
  if (parameters === undefined || Object.keys(parameters).length === 0) return null
  if (parameters.type !== 'object')
    return `schema must have \`type: "object"\`, got \`${JSON.stringify(parameters.type)}\``
  return strict === true ? strictProblem(parameters, []) : null
}

const MAX_DEPTH = 200

/** @param {unknown} given @param {string[]} path @returns {string | null} */
function strictProblem(given, path) {
  if (typeof given !== 'object' || given === null) return null
  const schema = /** @type {JsonObject} */ (given)
  if (path.length > MAX_DEPTH) return 'schema is nested too deeply'
  return keywordProblem(schema, path) ?? objectProblem(schema, path) ?? firstProblem(childrenOf(schema), path)
}

/** @param {JsonObject} schema @param {string[]} path */
function keywordProblem(schema, path) {
  const lists = ['required', 'anyOf'].filter(
    keyword => schema[keyword] !== undefined && !Array.isArray(schema[keyword]),
  )
  return lists.length === 0 ? null : `${contextOf(path)}, \`${lists[0]}\` must be a list`
}

/** @param {string[]} path */
function contextOf(path) {
  return `in context=(${path.map(part => `'${part}'`).join(', ')})`
}

/** @param {JsonObject} schema @param {string[]} path */
function objectProblem(schema, path) {
  if (![schema.type].flat().includes('object')) return null
  const context = contextOf(path)
  if (schema.additionalProperties !== false) return `${context}, \`additionalProperties\` must be given and false`
  const missing = Object.keys(schema.properties ?? {}).find(name => !(schema.required ?? []).includes(name))
  return missing === undefined ? null : `${context}, \`required\` must list every property; missing \`${missing}\``
}

/** @typedef {[step: string[], schema: unknown]} SchemaChild */

/** @param {JsonObject} schema @returns {SchemaChild[]} */
function childrenOf(schema) {
  const named = ['properties', '$defs', 'definitions'].flatMap(keyword =>
    Object.entries(schema[keyword] ?? {}).map(([name, child]) => /** @type {SchemaChild} */ ([[keyword, name], child])),
  )
  /** @type {unknown[]} */
  const alternatives = schema.anyOf ?? []
  const listed = alternatives.map((child, index) => /** @type {SchemaChild} */ ([['anyOf', String(index)], child]))
  return [...named, ...listed, [['items'], schema.items]]
}

/** @param {SchemaChild[]} children @param {string[]} path */
function firstProblem(children, path) {
  for (const [step, child] of children) {
    const problem = strictProblem(child, [...path, ...step])
    if (problem !== null) return problem
  }
  return null
}
