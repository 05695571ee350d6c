'use strict'

// One schema module: its default export, with every schema in it as JSON Schema.

const { pathToFileURL } = require('node:url')

const { convertSchema } = require('./convert-schema.js')
const { AuthoringFailure, pointer } = require('./failure.js')
const { isStandardSchema } = require('./standard.js')
const { toJson } = require('./to-json.js')

/**
 * The fields that hold a schema. Only arguments are closed: a result may hold more than it must, and `when` looks at a part.
 */
const SCHEMAS = [
  { path: ['parameters'], openness: 'closed' },
  { path: ['resultSchema'], openness: 'as-written' },
  { path: ['confirmation', 'when'], openness: 'as-written' },
]

/**
 * @param {string} file
 * @returns {Promise<{ json: string, notices: import('./failure.js').FailureDetails[] }>}
 * @throws {AuthoringFailure} and whatever the module throws
 */
async function readModule(file) {
  const definition = exported(await import(pathToFileURL(file).href))
  const first = await asJson(definition, file)
  // A default such as `Date.now()` would make each build another one, and each call of a build's life the same.
  const second = await asJson(definition, file)
  if (first.json !== second.json) {
    throw new AuthoringFailure({
      kind: 'unstable',
      message: 'the schema is another one each time that it is read',
      help: 'a default is a constant; what the time or chance decides is decided in the handler',
    })
  }
  return first
}

function exported(module) {
  // What TypeScript and Babel make of `export default` in a CommonJS module.
  const transpiled = module.default?.__esModule === true && 'default' in module.default
  const definition = transpiled ? module.default.default : module.default
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

function described(value) {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (isStandardSchema(value)) return 'a schema'
  if (typeof value === 'object') return 'a promise'
  return { function: 'a function', string: 'a text' }[typeof value] ?? `a ${typeof value}`
}

async function asJson(definition, file) {
  const notices = []
  const written = await SCHEMAS.reduce(async (fields, { path, openness }) => {
    const schema = path.reduce((value, name) => value?.[name], definition)
    if (!isStandardSchema(schema)) return fields
    const at = pointer(path)
    const { json, lost } = await convertSchema(schema, { file, at, openness })
    notices.push(...lost)
    return replaced(await fields, path, json)
  }, definition)
  return { json: JSON.stringify(toJson(written)), notices }
}

/** The fields with another value at a path; the author's own object stays as it is. */
const replaced = (fields, [name, ...rest], value) => ({
  ...fields,
  [name]: rest.length === 0 ? value : replaced(fields[name], rest, value),
})

module.exports = { readModule }
