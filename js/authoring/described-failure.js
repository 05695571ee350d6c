'use strict'

// What a module threw while it was loaded, as a finding.

const { existsSync } = require('node:fs')
const path = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')
const { inspect } = require('node:util')

const { ALIAS_HELP, isPathAlias } = require('./path-alias.js')
const { syntaxFault } = require('./syntax-fault.js')
const { whereThrown } = require('./thrown-at.js')

/** @typedef {import('./failure.js').FailureDetails} FailureDetails */

/**
 * @param {unknown} thrown
 * @param {string} file
 * @param {string} fileName
 * @returns {Promise<FailureDetails>}
 */
async function describeFailure(thrown, file, fileName) {
  const error = /** @type {NodeJS.ErrnoException | null | undefined} */ (thrown)
  if (error?.code === 'ERR_MODULE_NOT_FOUND' || error?.code === 'MODULE_NOT_FOUND')
    return missingModule(error, file, fileName)
  const at = whereThrown(thrown, file)
  if (error?.name === 'SyntaxError' && at === null) {
    return missingExport(error, fileName) ?? (await unparsed(error, file, fileName))
  }
  const from = at?.elsewhere === undefined ? '' : ` (in ${at.elsewhere})`
  const what = ofDefineTool(error)
    ? `: ${/** @type {{ what?: unknown }} */ (error).what}`
    : ` throws ${withoutFolder(firstLine(described(thrown)), path.dirname(file))}`
  return {
    kind: 'module',
    message: `\`${fileName}\`${what}${from}`,
    help: thrownHelp(error),
    line: at?.line,
    column: at?.column,
  }
}

/** @param {Error} error @param {string} file @param {string} fileName @returns {Promise<FailureDetails>} */
async function unparsed(error, file, fileName) {
  const fault = await syntaxFault(file)
  if (fault === null) {
    const message = `\`${fileName}\` does not parse: ${firstLine(error.message)}`
    return { kind: 'module', message, help: 'correct the syntax' }
  }
  const { line, column } = fault
  const isOwn = fault.file === file
  const from = isOwn ? '' : ` (in ${shown(fault.file, file)}:${line}:${column})`
  const message = `\`${path.basename(fault.file)}\` does not parse: ${fault.message}${from}`
  return { kind: 'module', message, help: fault.help, ...(isOwn ? { line, column } : {}) }
}

/** Names the author's files as an import does. @param {string} text @param {string} folder of the module */
const withoutFolder = (text, folder) =>
  [pathToFileURL(folder).href, folder].reduce(
    (shorter, home) => shorter.replaceAll(`"${home}/`, '"./').replaceAll(`${home}/`, './'),
    text,
  )

/** @param {string} other @param {string} file */
const shown = (other, file) => path.relative(path.dirname(file), other).replaceAll(path.sep, '/')

/**
 * Describes a missing export, which Node also reports as a SyntaxError.
 * @param {Error} error
 * @param {string} fileName
 * @returns {FailureDetails | null}
 */
function missingExport({ message }, fileName) {
  const [, ofModule, ofEs, ofCommonJs, fromCommonJs] =
    /requested module '(.*)' does not provide an export named '(.*)'|^Named export '(.*?)' not found\. The requested module '(.*?)'/.exec(
      message,
    ) ?? []
  const module = ofModule ?? fromCommonJs
  if (module === undefined) return null
  return {
    kind: 'module',
    message: `\`${fileName}\`, or what it imports, takes \`${ofEs ?? ofCommonJs}\` from \`${module}\`, which does not export it`,
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

/** @param {NodeJS.ErrnoException | null | undefined} error */
const ofDefineTool = error => error?.code === 'TOOL_DEFINITION'

/** What would be right, by what Node says. @type {[RegExp, (matched: string) => string][]} */
const HELPS = [
  [
    /^(?:require|module|exports|__dirname|__filename) is not defined/,
    () =>
      'this is an ES module, as all TypeScript is here: write `import`, `export default`, `import.meta.dirname`, `import.meta.filename`',
  ],
  [/^(defineTool) is not a function/, () => "import it by its name: `import { defineTool } from 'toolgate'`"],
  [/^(\S+) is not defined/, name => `import or define \`${name}\``],
  [/^(\S+) is not a function/, name => `correct the name \`${name.split('.').at(-1)}\``],
  [/needs an import attribute of type "json"/, () => "write `with { type: 'json' }` behind the import"],
  [
    /^Unknown file extension "\.[cm]?tsx?"/,
    () => 'name the importing file `.ts` too: TypeScript is compiled from there on',
  ],
]

/** @param {(Error & { help?: unknown }) | null | undefined} error */
function thrownHelp(error) {
  if (ofDefineTool(error)) return String(error?.help)
  for (const [pattern, help] of HELPS) {
    const found = pattern.exec(error?.message ?? '')
    if (found !== null) return help(found[1])
  }
  return 'correct the module; it must load without anything else running'
}

/**
 * Leaves out the path of the importing file, because the finding points to it.
 * @param {Error} error
 * @param {string} file
 * @param {string} fileName
 * @returns {FailureDetails}
 */
function missingModule(error, file, fileName) {
  const [, name = ''] = /'([^']+)'/.exec(error.message) ?? []
  if (/^[./]|^file:|^[A-Za-z]:\\/.test(name) || name === '') return missingFile(error, name, file, fileName)
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

/** @param {Error} error @param {string} name @param {string} file @param {string} fileName @returns {FailureDetails} */
function missingFile({ message: said }, name, file, fileName) {
  const [, importer] = / imported from (.+)$/m.exec(said) ?? []
  const from = importer !== undefined && path.isAbsolute(importer) ? importer : file
  const target = name.startsWith('file:') ? fileURLToPath(name) : path.resolve(path.dirname(from), name)
  const relative = shown(target, from)
  const written = relative.startsWith('.') ? relative : `./${relative}`
  const ending = ['.js', '.mjs', '.cjs', '/index.js'].find(one => existsSync(target + one))
  return {
    kind: 'module',
    message: `\`${importer === undefined ? fileName : path.basename(from)}\` imports \`${written}\`, a file that does not exist`,
    help: ending === undefined ? 'correct the path, or add the file' : `write the whole path: \`${written}${ending}\``,
  }
}

/** @param {string} text */
const firstLine = text => text.split('\n', 1)[0].replace(/\.$/, '')

module.exports = { describeFailure }
