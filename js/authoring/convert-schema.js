'use strict'

// A schema of a library as JSON Schema, draft 2020-12: by the Standard JSON Schema interface
// (standardschema.dev/json-schema), or where a schema does not offer it by its library's own converter. The input side is
// taken: it says what a model may send, with defaults optional.

const { createRequire } = require('node:module')
const { pathToFileURL } = require('node:url')

const { closeObjects } = require('./close-objects.js')
const { AuthoringFailure } = require('./failure.js')
const zod = require('./zod.js')

const TARGET = 'draft-2020-12'
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/**
 * @param {object} schema
 * @param {{ file: string, at: string, openness: 'closed' | 'as-written' }} options the module, and where in it the schema is;
 *   `closed`: an object that does not say whether it takes other properties takes none
 * @returns {Promise<{ json: object, lost: import('./failure.js').FailureDetails[] }>}
 * @throws {AuthoringFailure} if it has no JSON Schema
 */
async function convertSchema(schema, { file, at, openness }) {
  const { json, lost } = await converted(schema, file, at)
  const { $schema: dialect, ...plain } = json
  const named = dialect === undefined || dialect === DIALECT ? plain : json
  return { json: openness === 'closed' ? closeObjects(named) : named, lost }
}

async function converted(schema, file, at) {
  const { vendor, jsonSchema } = schema['~standard']
  const from = name => importFrom(file, name)
  try {
    if (zod.isZod(schema)) return await zod.convert(schema, { at, target: TARGET, from })
    if (typeof jsonSchema?.input === 'function') return { json: plain(jsonSchema.input({ target: TARGET })), lost: [] }
    if (vendor === 'valibot') return { json: plain(await byValibot(schema, from)), lost: [] }
  } catch (cause) {
    if (cause instanceof AuthoringFailure) throw cause
    throw notConvertible(
      at,
      cause?.message ?? String(cause),
      'write it with types that JSON has, and check the rest in the handler',
    )
  }
  const help = zod.isOldZod(schema)
    ? 'Zod gives a JSON Schema from version 4 on: `npm install zod@4`'
    : 'take a version of the library that implements Standard JSON Schema, or write the JSON Schema itself'
  throw notConvertible(at, `\`${vendor}\` offers none`, help)
}

/** A converter may give more than JSON: methods for its own use. */
const plain = json => JSON.parse(JSON.stringify(json))

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

/** A package as the author's module finds it. */
function importFrom(file, name) {
  try {
    return import(pathToFileURL(createRequire(file).resolve(name)).href)
  } catch (cause) {
    return Promise.reject(cause)
  }
}

const notConvertible = (at, reason, help) =>
  new AuthoringFailure({ kind: 'conversion', pointer: at, message: `there is no JSON Schema for it: ${reason}`, help })

module.exports = { convertSchema }
