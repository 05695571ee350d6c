'use strict'

// Checks what a tool in one file exports, in the words of that file: the build reads it by modules of its own.

const { AuthoringFailure } = require('./failure.js')
const { defaultOf, described } = require('./exported-value.js')

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 */

/** What `defineTool` fills in. */
const FILLED_IN = ['version', 'category', 'idempotent', 'requiresConfirmation', 'allowedModes', 'latencyBudgetMs']

/**
 * @param {JsonObject} namespace of the module
 * @param {string} fileName
 * @throws {AuthoringFailure} if its default export is no tool
 */
function checkOneFile(namespace, fileName) {
  const definition = defaultOf(namespace)
  // An ES module without exports, and the `module.exports` that CommonJS begins with.
  if (definition === undefined || (isObject(definition) && Object.keys(definition).length === 0))
    throw withoutExport(namespace, fileName, definition === undefined ? ES_EXPORT : COMMONJS_EXPORT)
  if (!isObject(definition)) {
    const message = `\`${fileName}\` exports ${described(definition)} as its default, not a tool`
    throw failure(message, `export one tool: ${ES_EXPORT}, in CommonJS ${COMMONJS_EXPORT}`)
  }
  const named = nameOfTool(definition)
  if (definition.execute === undefined && named !== undefined)
    throw withoutExport(definition, fileName, COMMONJS_EXPORT)
  if (described(definition.execute) !== 'a function') {
    throw failure(`the tool that \`${fileName}\` exports has no function \`execute\``, `write ${ES_EXPORT}`)
  }
  const absent = FILLED_IN.filter(name => !(name in definition))
  if (absent.length === 0) return
  const message = `the tool that \`${fileName}\` exports leaves out ${absent.map(name => `\`${name}\``).join(', ')}`
  throw failure(message, `pass the object to \`defineTool()\`, which fills them in: ${ES_EXPORT}`)
}

const ES_EXPORT = '`export default defineTool({ … })`'
const COMMONJS_EXPORT = '`module.exports = defineTool({ … })`'

/** @param {JsonObject} exported @param {string} fileName @param {string} form */
function withoutExport(exported, fileName, form) {
  const name = nameOfTool(exported)
  return failure(
    name === undefined
      ? `\`${fileName}\` has no default export`
      : `\`${fileName}\` exports its tool as \`${name}\`, not as its default export`,
    `write ${form}`,
  )
}

/** @param {JsonObject} exported */
const nameOfTool = exported =>
  Object.entries(exported).find(([, value]) => isObject(value) && typeof value.execute === 'function')?.[0]

/** @param {string} message @param {string} help */
const failure = (message, help) => new AuthoringFailure({ kind: 'module', message, help })

/** @param {unknown} value @returns {value is JsonObject} */
const isObject = value => described(value) === 'an object'

module.exports = { checkOneFile }
