'use strict'

// A worker thread that loads schema modules one after another and posts the export of each.

const { inspect } = require('node:util')
const { parentPort, workerData } = require('node:worker_threads')

const { AuthoringFailure } = require('./failure.js')
const { ALIAS_HELP, isPathAlias } = require('./path-alias.js')
const { readModule } = require('./read-module.js')
const { whereThrown } = require('./thrown-at.js')

/** @typedef {import('./failure.js').FailureDetails} FailureDetails */

/**
 * Defined before a module is loaded, because a module could replace `parentPort.postMessage`.
 * @param {import('./read-schema-modules.js').WorkerMessage} message
 */
const post = message => /** @type {import('node:worker_threads').MessagePort} */ (parentPort).postMessage(message)

/** What modules threw. @type {Set<unknown>} */
const reported = new Set()

/**
 * @param {import('./read-schema-modules.js').SchemaModule} module
 * @returns {Promise<import('./read-schema-modules.js').Outcome>}
 */
async function outcome({ file, fileName }) {
  try {
    return { definition: await readModule(file) }
  } catch (thrown) {
    reported.add(thrown)
    return { failure: thrown instanceof AuthoringFailure ? thrown.details : describeFailure(thrown, file, fileName) }
  }
}

/** @param {unknown} thrown @param {string} file @param {string} fileName @returns {FailureDetails} */
function describeFailure(thrown, file, fileName) {
  const error = /** @type {NodeJS.ErrnoException | null | undefined} */ (thrown)
  if (error?.code === 'ERR_MODULE_NOT_FOUND' || error?.code === 'MODULE_NOT_FOUND')
    return missingModule(error, file, fileName)
  const at = whereThrown(thrown, file)
  if (error?.name === 'SyntaxError' && at === null) {
    return (
      missingExport(error, fileName) ?? {
        kind: 'module',
        message: `\`${fileName}\` does not parse: ${firstLine(error.message)}`,
        help: syntaxHelp(error.message),
      }
    )
  }
  const from = at?.elsewhere === undefined ? '' : ` (in ${at.elsewhere})`
  return {
    kind: 'module',
    message: `\`${fileName}\` throws ${firstLine(described(thrown))}${from}`,
    help: thrownHelp(error),
    line: at?.line,
    column: at?.column,
  }
}

/**
 * Describes a missing export, which Node also reports as a SyntaxError.
 * @param {Error} error
 * @param {string} fileName
 * @returns {FailureDetails | null}
 */
function missingExport({ message }, fileName) {
  const [, module, name] = /requested module '(.*)' does not provide an export named '(.*)'/.exec(message) ?? []
  if (module === undefined) return null
  if (name === 'default' && /^\.\/tool\.m?js$/.test(module)) {
    const help =
      'write `export default defineTool({ … })`; an ES module, as all TypeScript is here, has no `module.exports`'
    return { kind: 'module', message: `\`${fileName}\` has no default export`, help }
  }
  return {
    kind: 'module',
    message: `\`${fileName}\`, or what it imports, takes \`${name}\` from \`${module}\`, which does not export it`,
    help: 'correct the name, or export it',
  }
}

/** @param {unknown} thrown */
const described = thrown => {
  const { name, message } = /** @type {Partial<Error> | null | undefined} */ (thrown) ?? {}
  return typeof message === 'string'
    ? `${name ?? 'Error'}: ${message}`
    : inspect(thrown, { depth: 1, breakLength: Infinity })
}

/** @param {string} message of Node */
const syntaxHelp = message =>
  /import statement|Unexpected token 'export'|'import.meta'|await is only valid/.test(message)
    ? 'here a `.js` file is CommonJS, with `require` and `module.exports`: name an ES module `.mjs`, or write `"type": "module"` into package.json'
    : 'correct the syntax'

/** @param {Error | null | undefined} error */
const thrownHelp = error =>
  /^(require|module|exports|__dirname|__filename) is not defined/.test(error?.message ?? '')
    ? 'this is an ES module, as all TypeScript is here: write `import`, `export default`, `import.meta.dirname`, `import.meta.filename`'
    : 'correct the module; it must load without anything else running'

/**
 * Leaves out the path of the importing file, because the finding points to it.
 * @param {Error} error
 * @param {string} file
 * @param {string} fileName
 * @returns {FailureDetails}
 */
function missingModule(error, file, fileName) {
  const [, name = ''] = /'([^']+)'/.exec(error.message) ?? []
  if (/^[./]|^file:|^[A-Za-z]:\\/.test(name) || name === '') {
    const help = firstLine(error.message.split(' imported from ')[0])
    return { kind: 'module', message: `\`${fileName}\` imports a file that does not exist`, help }
  }
  if (isPathAlias(name, file)) {
    const message = `\`${fileName}\` imports \`${name}\`, a path alias, which Node does not resolve`
    return { kind: 'module', message, help: ALIAS_HELP }
  }
  const packageName = name.split('/').slice(0, name.startsWith('@') ? 2 : 1)
  return {
    kind: 'module',
    message: `\`${fileName}\` imports the package \`${name}\`, which is not installed`,
    help: `install it: \`npm install ${packageName.join('/')}\``,
  }
}

/** @param {string} text */
const firstLine = text => text.split('\n', 1)[0].replace(/\.$/, '')

async function main() {
  // Node 20 rejects a second promise by the error of a CommonJS module that does not parse: it is not of the next module.
  process.on('uncaughtException', error => {
    if (!reported.has(error)) throw error
  })
  post({})
  // The event loop is empty, but a module still awaits a promise.
  process.once('beforeExit', () => post({ waits: true }))
  for (const module of workerData) post({ folder: module.folder, outcome: await outcome(module) })
}

main()
