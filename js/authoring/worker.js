'use strict'

// A thread that loads schema modules, one after another, and returns what each exports.

const { inspect } = require('node:util')
const { parentPort, workerData } = require('node:worker_threads')

const { AuthoringFailure } = require('./failure.js')
const { readModule } = require('./read-module.js')
const { whereThrown } = require('./thrown-at.js')

/** Before any module can put another one in its place. */
const tell = message => parentPort.postMessage(message)

async function outcome({ file, fileName }) {
  try {
    return { definition: await readModule(file) }
  } catch (thrown) {
    return { failure: thrown instanceof AuthoringFailure ? thrown.details : describeFailure(thrown, file, fileName) }
  }
}

function describeFailure(thrown, file, fileName) {
  if (thrown?.code === 'ERR_MODULE_NOT_FOUND' || thrown?.code === 'MODULE_NOT_FOUND') return missing(thrown, fileName)
  const at = whereThrown(thrown, file)
  if (thrown?.name === 'SyntaxError' && at === null) {
    return (
      unlinked(thrown, fileName) ?? {
        kind: 'module',
        message: `\`${fileName}\` does not parse: ${firstLine(thrown.message)}`,
        help: syntaxHelp(fileName),
      }
    )
  }
  const from = at?.elsewhere === undefined ? '' : ` (in ${at.elsewhere})`
  return {
    kind: 'module',
    message: `\`${fileName}\` throws ${firstLine(described(thrown))}${from}`,
    help: 'correct the module; it must load without anything else running',
    line: at?.line,
    column: at?.column,
  }
}

/** Node calls it a syntax error, too. */
function unlinked({ message }, fileName) {
  const [, module, name] = /requested module '(.*)' does not provide an export named '(.*)'/.exec(message) ?? []
  if (module === undefined) return null
  return {
    kind: 'module',
    message: `\`${fileName}\`, or what it imports, takes \`${name}\` from \`${module}\`, which does not export it`,
    help: 'correct the name, or export it',
  }
}

const described = thrown =>
  typeof thrown?.message === 'string'
    ? `${thrown.name ?? 'Error'}: ${thrown.message}`
    : inspect(thrown, { depth: 1, breakLength: Infinity })

const syntaxHelp = fileName =>
  fileName === 'schema.js'
    ? 'correct the syntax; an ES module is named `schema.mjs` where package.json does not say `"type": "module"`'
    : 'correct the syntax'

/** Without the path of whoever imports it: that is the module that the finding points at. */
function missing(error, fileName) {
  const [, name] = /'([^']+)'/.exec(error.message) ?? []
  const isPackage = name !== undefined && !/^[./]|^file:|^[A-Za-z]:\\/.test(name)
  return {
    kind: 'module',
    message: `\`${fileName}\` imports ${isPackage ? `the package \`${name}\`, which is not installed` : 'a file that does not exist'}`,
    help: isPackage
      ? `install it: \`npm install ${name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/')}\``
      : firstLine(error.message.split(' imported from ')[0]),
  }
}

const firstLine = text => text.split('\n', 1)[0].replace(/\.$/, '')

async function main() {
  tell({})
  // Nothing is left to do, and a module is not done.
  process.once('beforeExit', () => tell({ waits: true }))
  for (const module of workerData) tell({ folder: module.folder, outcome: await outcome(module) })
}

main()
