// Reads the tool folders as they lie on disk, independently of the compiler.
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const Ajv2020 = require('ajv/dist/2020.js').default
const addFormats = require('ajv-formats').default

const TOOLS = new URL('../../../tools/', import.meta.url)

export const toolIds = readdirSync(TOOLS, { withFileTypes: true })
  .filter(entry => entry.isDirectory() && !/^[_.]/.test(entry.name) && entry.name !== 'node_modules')
  .map(entry => entry.name)

export const readTool = (id, file) => readFileSync(new URL(`${id}/${file}`, TOOLS), 'utf8')
export const schemaOf = id => JSON.parse(readTool(id, 'schema.json'))

/** A strict Ajv: unknown keywords and formats throw. */
const strict = options =>
  addFormats(new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, ...options })).addVocabulary([
    'x-sensitive',
  ])
const reading = strict()
const filling = strict({ useDefaults: true })

export const compile = (schema, { useDefaults = false } = {}) => (useDefaults ? filling : reading).compile(schema)

/** Fails with Ajv's findings where `data` is not what the tool promises. */
export function expectResult(id, data) {
  const validate = compile(schemaOf(id).resultSchema)
  validate(JSON.parse(JSON.stringify(data)))
  expect(validate.errors).toBeNull()
}
