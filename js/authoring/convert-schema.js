'use strict'

// Converts a library's schema to JSON Schema, draft 2020-12: by the Standard JSON Schema interface
// (standardschema.dev/json-schema), or by the library's own converter if a schema does not implement it. The input side
// is converted: it describes the arguments that a model may send, with defaults optional.

const { createRequire } = require('node:module')
const { pathToFileURL } = require('node:url')

const { closeObjects } = require('./close-objects.js')
const { AuthoringFailure } = require('./failure.js')
const zod = require('./zod.js')

const TARGET = 'draft-2020-12'
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {import('./standard.js').StandardSchema} StandardSchema
 * @typedef {{ json: JsonObject, lost: import('./failure.js').FailureDetails[] }} Conversion
 * @typedef {'closed' | 'as-written'} Openness
 */

/**
 * @param {StandardSchema} schema
 * @param {{ file: string, at: string, openness: Openness }} options `file`: the module; `at`: JSON
 *   Pointer to the schema in its export; `closed`: objects take no additional properties unless they define so
 * @returns {Promise<Conversion>}
 * @throws {AuthoringFailure} if the schema has no JSON Schema
 */
async function convertSchema(schema, { file, at, openness }) {
  const { json, lost } = await converted(schema, file, at)
  const { $schema: dialect, ...plain } = json
  const named = dialect === undefined || dialect === DIALECT ? plain : json
  return { json: openness === 'closed' ? closeObjects(named) : named, lost }
}

/** @param {StandardSchema} schema @param {string} file @param {string} at @returns {Promise<Conversion>} */
async function converted(schema, file, at) {
  const { vendor, jsonSchema } = schema['~standard']
  /** @param {string} name */
  const from = name => importFrom(file, name)
  try {
    if (zod.isZod(schema)) return await zod.convert(schema, { at, target: TARGET, from })
    if (typeof jsonSchema?.input === 'function') return { json: plain(jsonSchema.input({ target: TARGET })), lost: [] }
    if (vendor === 'valibot') return { json: plain(await byValibot(schema, from)), lost: [] }
  } catch (cause) {
    if (cause instanceof AuthoringFailure) throw cause
    throw notConvertible(
      at,
      /** @type {Partial<Error> | null} */ (cause)?.message ?? String(cause),
      'write it with types that JSON has, and check the rest in the handler',
    )
  }
  const help = zod.isOldZod(schema)
    ? 'Zod gives a JSON Schema from version 4 on: `npm install zod@4`'
    : 'take a version of the library that implements Standard JSON Schema, or write the JSON Schema itself'
  throw notConvertible(at, `\`${vendor}\` offers none`, help)
}

/** Removes members that are not JSON, such as a converter's methods. @param {object} json @returns {JsonObject} */
const plain = json => JSON.parse(JSON.stringify(json))

/** @param {StandardSchema} schema @param {(name: string) => Promise<JsonObject>} from */
async function byValibot(schema, from) {
  const converter = await from('@valibot/to-json-schema').catch(() => null)
  if (converter === null) {
    throw new AuthoringFailure({
      kind: 'conversion',
      message: "Valibot's converter is not installed",
      help: 'install it: `npm install @valibot/to-json-schema`',
    })
  }
  return converter.toJsonSchema(schema, { target: TARGET, typeMode: 'input' })
}

/**
 * Imports a package as resolved from the author's module.
 * @param {string} file
 * @param {string} name
 * @returns {Promise<JsonObject>} the exports
 */
function importFrom(file, name) {
  try {
    return import(pathToFileURL(createRequire(file).resolve(name)).href)
  } catch (cause) {
    return Promise.reject(cause)
  }
}

/** @param {string} at @param {string} reason @param {string} help */
const notConvertible = (at, reason, help) =>
  new AuthoringFailure({ kind: 'conversion', pointer: at, message: `there is no JSON Schema for it: ${reason}`, help })

module.exports = { convertSchema }
