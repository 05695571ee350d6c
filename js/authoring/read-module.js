'use strict'

// Reads the default export of a schema module, with every schema in it converted to JSON Schema.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { isDeepStrictEqual } = require('node:util')

const { convertSchema } = require('./convert-schema.js')
const { EFFECT, isBareEffect } = require('./effect.js')
const { defaultOf, described } = require('./exported-value.js')
const { AuthoringFailure } = require('./failure.js')
const { checkOneFile } = require('./one-file-export.js')
const { pointer } = require('../values/json-pointer.js')
const { asStandardSchema } = require('../values/standard-schema.js')
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
 * @param {string} [oneFile] the module of a tool in one file, which `file` imports
 * @returns {Promise<ModuleContent>}
 * @throws {AuthoringFailure} and whatever the module throws
 */
async function readModule(file, oneFile) {
  if (oneFile !== undefined) checkOneFile(await import(pathToFileURL(oneFile).href), path.basename(oneFile))
  const definition = exported(await import(pathToFileURL(file).href))
  const first = await asJson(definition, file)
  // A bound such as `Date.now()` would differ between builds, but be the same for every call of one build.
  const second = await asJson(definition, file)
  if (first.json !== second.json) {
    throw new AuthoringFailure({
      kind: 'unstable',
      pointer: pointer(firstDifference(JSON.parse(first.json), JSON.parse(second.json))),
      message: 'the schema differs each time it is read',
      help: 'use constants; compute values that depend on time or chance in the handler',
    })
  }
  return first
}

/** @param {any} a @param {any} b @returns {string[]} the path to the first value that differs */
function firstDifference(a, b) {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return []
  const name = Object.keys({ ...a, ...b }).find(one => !isDeepStrictEqual(a[one], b[one]))
  return name === undefined ? [] : [name, ...firstDifference(a[name], b[name])]
}

/** @param {JsonObject} module @returns {JsonObject} */
function exported(module) {
  const definition = defaultOf(module)
  const help = 'export one object by `export default { toolId: …, parameters: … }`, or by `module.exports`'
  if (definition === undefined)
    throw new AuthoringFailure({ kind: 'module', message: 'the module has no default export', help })
  if (described(definition) !== 'an object') {
    throw new AuthoringFailure({
      kind: 'module',
      message: `the default export is ${described(definition)}, not an object with the tool's fields`,
      help,
    })
  }
  return definition
}

/** @param {JsonObject} definition @param {string} file @returns {Promise<ModuleContent>} */
async function asJson(definition, file) {
  /** @type {FailureDetails[]} */
  const notices = []
  const written = await SCHEMAS.reduce(
    async (/** @type {JsonObject | Promise<JsonObject>} */ fields, { path: names, openness, runs }) => {
      /** @type {unknown} */
      const schema = names.reduce((value, name) => value?.[name], definition)
      if (isBareEffect(schema)) throw bareEffect(pointer(names))
      const standard = asStandardSchema(schema)
      const at = pointer(names)
      if (standard === undefined) {
        // Refused here if it has no end: the search would have none.
        toJson(schema ?? null, names)
        notices.push(...codeIn(schema).map(({ at: below, part }) => neverRuns(at + below, part)))
        return fields
      }
      const { json, lost } = await convertSchema(standard, { file, at, openness, runs })
      notices.push(...lost)
      return replaced(await fields, names, json)
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
