'use strict'

// Reads the default export of a schema module, with every schema in it converted to JSON Schema.

const { pathToFileURL } = require('node:url')

const { convertSchema } = require('./convert-schema.js')
const { EFFECT, isBareEffect } = require('./effect.js')
const { AuthoringFailure } = require('./failure.js')
const { pointer } = require('../values/json-pointer.js')
const { asStandardSchema, isStandardSchema } = require('../values/standard-schema.js')
const { toJson } = require('./to-json.js')
const { codeIn, neverRuns } = require('./typebox.js')

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {import('./failure.js').FailureDetails} FailureDetails
 * @typedef {{ json: string, notices: FailureDetails[] }} ModuleContent
 */

/**
 * The fields that hold a schema. Only `parameters` is closed: a result may have additional properties, and `when` tests
 * a part of the arguments.
 * @type {{ path: string[], openness: import('./convert-schema.js').Openness,
 *   runs: import('./lost-part.js').CodeRuns }[]}
 */
const SCHEMAS = [
  { path: ['parameters'], openness: 'closed', runs: 'at-call-time' },
  { path: ['resultSchema'], openness: 'as-written', runs: 'never' },
  { path: ['confirmation', 'when'], openness: 'as-written', runs: 'never' },
]

/**
 * @param {string} file
 * @returns {Promise<ModuleContent>}
 * @throws {AuthoringFailure} and whatever the module throws
 */
async function readModule(file) {
  const definition = exported(await import(pathToFileURL(file).href))
  const first = await asJson(definition, file)
  // A default such as `Date.now()` would differ between builds, but be the same for every call of one build.
  const second = await asJson(definition, file)
  if (first.json !== second.json) {
    throw new AuthoringFailure({
      kind: 'unstable',
      message: 'the schema differs each time it is read',
      help: 'use constants as defaults; compute values that depend on time or chance in the handler',
    })
  }
  return first
}

/** @param {JsonObject} module @returns {JsonObject} */
function exported(module) {
  // `exports.default` of a CommonJS module, which TypeScript and Babel write for `export default`.
  const definition = module.default?.default ?? module.default
  const help = 'export one object by `export default { toolId: …, parameters: … }`, or by `module.exports`'
  if (definition === undefined)
    throw new AuthoringFailure({ kind: 'module', message: 'the module has no default export', help })
  if (
    typeof definition !== 'object' ||
    definition === null ||
    Array.isArray(definition) ||
    isStandardSchema(definition) ||
    typeof definition.then === 'function'
  ) {
    throw new AuthoringFailure({
      kind: 'module',
      message: `the default export is ${described(definition)}, not an object with the tool's fields`,
      help,
    })
  }
  return definition
}

/** @param {unknown} value */
function described(value) {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (isStandardSchema(value)) return 'a schema'
  if (typeof value === 'object') return 'a promise'
  /** @type {Record<string, string>} */
  const names = { function: 'a function', string: 'a text' }
  return names[typeof value] ?? `a ${typeof value}`
}

/** @param {JsonObject} definition @param {string} file @returns {Promise<ModuleContent>} */
async function asJson(definition, file) {
  /** @type {FailureDetails[]} */
  const notices = []
  const written = await SCHEMAS.reduce(
    async (/** @type {JsonObject | Promise<JsonObject>} */ fields, { path, openness, runs }) => {
      /** @type {unknown} */
      const schema = path.reduce((value, name) => value?.[name], definition)
      if (isBareEffect(schema)) throw bareEffect(pointer(path))
      const standard = asStandardSchema(schema)
      const at = pointer(path)
      if (standard === undefined) {
        notices.push(...codeIn(schema).map(({ at: below, part }) => neverRuns(at + below, part)))
        return fields
      }
      const { json, lost } = await convertSchema(standard, { file, at, openness, runs })
      notices.push(...lost)
      return replaced(await fields, path, json)
    },
    definition,
  )
  return { json: JSON.stringify(toJson(written)), notices }
}

/** @param {string} at */
const bareEffect = at =>
  new AuthoringFailure({
    kind: 'conversion',
    pointer: at,
    message: 'a schema of Effect is no Standard Schema yet',
    help: `write ${EFFECT}`,
  })

/**
 * Returns a copy of the fields with another value at a path.
 * @param {JsonObject} fields
 * @param {string[]} path
 * @param {JsonObject} value
 * @returns {JsonObject}
 */
const replaced = (fields, [name, ...rest], value) => ({
  ...fields,
  [name]: rest.length === 0 ? value : replaced(fields[name], rest, value),
})

module.exports = { readModule }
