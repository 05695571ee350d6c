'use strict'

// Converts a library's schema to JSON Schema, draft 2020-12: by the Standard JSON Schema interface
// (standardschema.dev/json-schema), or by the library's own converter if a schema does not implement it. The input side
// is converted: it describes the arguments that a model may send, with defaults optional.

const { createRequire } = require('node:module')
const { pathToFileURL } = require('node:url')

const { arkTypeReason, convertArkType, isArkType } = require('./arktype.js')
const { closeObjects } = require('./close-objects.js')
const { EFFECT, convertEffect } = require('./effect.js')
const { AuthoringFailure } = require('./failure.js')
const { lostFinding, unique } = require('./lost-part.js')
const { neverNarrower } = require('./never-narrower.js')
const { unionAsObject, withoutRootReference } = require('./root-object.js')
const { toJson } = require('./to-json.js')
const { codeIn } = require('./typebox.js')
const { convertValibot } = require('./valibot.js')
const { isInstance, messageOf } = require('../values/foreign.js')
const { pointerNames } = require('../values/json-pointer.js')
const zod = require('./zod.js')

const TARGET = 'draft-2020-12'
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {import('../values/standard-schema.js').StandardSchema} StandardSchema
 * @typedef {{ json: JsonObject, lost: import('./failure.js').FailureDetails[] }} Conversion
 * @typedef {'closed' | 'as-written'} Openness
 * @typedef {import('./lost-part.js').CodeRuns} CodeRuns
 */

/**
 * @param {StandardSchema} schema
 * @param {{ file: string, at: string, openness: Openness, runs?: CodeRuns }} options `file`: the module; `at`: JSON
 *   Pointer to the schema in its export; `closed`: objects take no additional properties unless they define so
 * @returns {Promise<Conversion>}
 * @throws {AuthoringFailure} if the schema has no JSON Schema
 */
async function convertSchema(schema, { file, at, openness, runs = 'at-call-time' }) {
  const { json, lost } = await converted(schema, { file, at, runs })
  const { $schema: dialect, ...plain } = json
  const decided = runs === 'at-call-time' ? neverNarrower(plain, schema['~standard'].vendor) : plain
  const named = withoutRootReference(dialect === undefined || dialect === DIALECT ? decided : json)
  return { json: openness === 'closed' ? unionAsObject(closeObjects(named)) : named, lost }
}

/**
 * @param {StandardSchema} schema
 * @param {{ file: string, at: string, runs: CodeRuns }} options
 * @returns {Promise<Conversion>}
 */
async function converted(schema, { file, at, runs }) {
  const { vendor, jsonSchema } = schema['~standard']
  /** @param {string} name */
  const from = name => importFrom(file, name)
  try {
    if (zod.isZod(schema)) return await zod.convert(schema, { at, target: TARGET, runs, from })
    if (isArkType(schema)) return byArkType(schema, at, runs)
    if (vendor === 'typebox' && jsonSchema) return byTypeBox(jsonSchema, at, runs)
    if (typeof jsonSchema?.input === 'function') return byStandard(schema, jsonSchema, at, runs)
    if (vendor === 'valibot') return await byValibot(schema, { at, runs, from })
  } catch (cause) {
    if (isInstance(cause, AuthoringFailure)) throw cause
    throw notConvertible(
      at,
      arkTypeReason(cause) ?? messageOf(cause),
      'write it with types that JSON has, and convert the value by a transform, or in the handler',
    )
  }
  throw notConvertible(at, `\`${vendor}\` offers none`, helpFor(schema))
}

/** @param {StandardSchema} schema */
function helpFor(schema) {
  if (zod.isOldZod(schema)) return 'Zod gives a JSON Schema from version 4 on: `npm install zod@4`'
  if (schema['~standard'].vendor === 'effect') return `write ${EFFECT}`
  return 'take a version of the library that implements Standard JSON Schema, or write the JSON Schema itself'
}

/** Removes members that are not JSON, such as a converter's methods. @param {object} json @returns {JsonObject} */
const plain = json => JSON.parse(JSON.stringify(json))

/** @param {import('./arktype.js').ArkSchema} schema @param {string} at @param {CodeRuns} runs @returns {Conversion} */
function byArkType(schema, at, runs) {
  const { json, parts } = convertArkType(schema, TARGET)
  return { json: plain(json), lost: unique(parts.map(part => lostFinding(at, part, runs))) }
}

/**
 * @param {NonNullable<StandardSchema['~standard']['jsonSchema']>} jsonSchema of a compiled schema
 * @param {string} at
 * @param {CodeRuns} runs
 * @returns {Conversion}
 */
function byTypeBox(jsonSchema, at, runs) {
  const schema = jsonSchema.input({ target: TARGET })
  const json = /** @type {JsonObject} */ (toJson(schema, pointerNames(at)))
  const lost = codeIn(schema).map(({ at: below, part }) => lostFinding(at + below, part, runs))
  return { json, lost }
}

/**
 * @param {StandardSchema} schema
 * @param {NonNullable<StandardSchema['~standard']['jsonSchema']>} jsonSchema
 * @param {string} at
 * @param {CodeRuns} runs
 * @returns {Conversion}
 */
function byStandard(schema, jsonSchema, at, runs) {
  const { vendor, validate } = schema['~standard']
  const given = plain(jsonSchema.input({ target: TARGET }))
  const { json, parts } = vendor === 'effect' ? convertEffect(schema, given) : { json: given, parts: [] }
  const found = parts.map(({ at: below, part }) => lostFinding(at + below, part, runs))
  if (runs === 'never' || typeof validate === 'function') return { json, lost: unique(found) }
  const message = `the schema of \`${vendor}\` can't be run: it has no \`validate\``
  const help = vendor === 'effect' ? `write ${EFFECT}` : 'take a version of the library that implements Standard Schema'
  return { json, lost: [{ kind: 'lost', pointer: at, message, help }] }
}

/**
 * @param {any} schema
 * @param {{ at: string, runs: CodeRuns, from: (name: string) => Promise<JsonObject> }} options
 * @returns {Promise<Conversion>}
 */
async function byValibot(schema, { at, runs, from }) {
  const converter = await from('@valibot/to-json-schema').catch(() => null)
  if (converter === null) {
    throw new AuthoringFailure({
      kind: 'conversion',
      message: "Valibot's converter is not installed",
      help: 'install it: `npm install @valibot/to-json-schema`',
    })
  }
  /** @type {(schema: object, options: object) => JsonObject} */
  const toJsonSchema = (one, options) => converter.toJsonSchema(one, options)
  const { json, parts } = convertValibot(schema, toJsonSchema, TARGET)
  return { json: plain(json), lost: parts.map(({ at: below, part }) => lostFinding(at + below, part, runs)) }
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
