'use strict'

// Prepares tool folders for the compiler, which reads `schema.json` or `schema.mjs`, `guide.md` and plain JavaScript:
// compiles TypeScript, and makes the files of the folder layout from a tool in one file (`tool.ts`, `tool.js`).

const { existsSync } = require('node:fs')
const { readdir, stat } = require('node:fs/promises')
const path = require('node:path')

const { isAuthored, removeOrphan, textOf, writeGenerated } = require('./generated-file.js')
const { guideText } = require('./guide-text.js')
const { findToolFolders } = require('./schema-modules.js')
const { misnamedIn, misplacedIn } = require('./misnamed-files.js')
const { handlerFormFault } = require('./syntax-fault.js')
const { TYPESCRIPT, SourceFailure, compileTypeScript, compiledPath, conflict } = require('./typescript.js')

const TOOL_FILES = ['tool.ts', 'tool.mts', 'tool.js', 'tool.mjs', 'tool.cjs']
const GENERATED = ['schema.mjs', 'handler.mjs', 'guide.md', 'tool.mjs']
/** What `tsc` writes beside a file of TypeScript. @type {Record<string, string>} */
const EMITTED = { 'tool.ts': 'tool.js', 'tool.mts': 'tool.mjs' }
/** The parts that a folder can have in TypeScript, each with the JavaScript files that say the same. */
const PARTS = [
  { names: ['schema.ts', 'schema.mts'], compiled: ['schema.js', 'schema.mjs', 'schema.cjs'] },
  { names: ['handler.ts', 'handler.mts'], compiled: ['handler.js', 'handler.mjs'] },
]

/**
 * @typedef {import('../../index.js').Diagnostic} Diagnostic
 * @typedef {{ sources: Set<string>, findings: Diagnostic[], oneFile: Map<string, string> }} PreparedSources `sources`:
 *   the TypeScript files; `oneFile`: tool folder → its one file
 */

/**
 * @param {string} toolsDir an absolute path
 * @returns {Promise<PreparedSources>}
 */
async function prepareSources(toolsDir) {
  /** @type {PreparedSources} */
  const prepared = { sources: new Set(), findings: [], oneFile: new Map() }
  for (const failure of await misplacedIn(toolsDir))
    prepared.findings.push(await findingOf(failure, toolsDir, toolsDir))
  for (const name of await findToolFolders(toolsDir)) {
    const folder = path.join(toolsDir, name)
    // A link can lead to a file, or nowhere; the compiler reports it.
    const isFolder = await stat(folder).then(
      found => found.isDirectory(),
      () => false,
    )
    if (!isFolder) continue
    try {
      await prepareFolder(folder, name, prepared)
    } catch (error) {
      prepared.findings.push(await findingOf(error, folder, toolsDir))
    }
  }
  return prepared
}

/** @param {string} folder @param {string} name @param {PreparedSources} prepared */
async function prepareFolder(folder, name, { sources, oneFile }) {
  for (const generated of GENERATED) await removeOrphan(path.join(folder, generated))
  const misnamed = misnamedIn(folder, await readdir(folder))
  if (misnamed !== null) throw misnamed
  const one = await authoredOf(folder, TOOL_FILES)
  if (one !== undefined) {
    const read = path.basename(one)
    const second = await authoredOf(
      folder,
      TOOL_FILES.filter(file => file !== read && file !== EMITTED[read]),
    )
    if (second !== undefined) throw both(one, second)
    oneFile.set(name, one)
    return prepareOneFile(folder, name, one, sources)
  }
  for (const { names, compiled } of PARTS) {
    const part = names.map(file => path.join(folder, file)).find(file => existsSync(file))
    if (part === undefined) continue
    const second = await authoredOf(folder, compiled)
    if (second !== undefined) throw both(part, second)
    await compileTypeScript(part, sources)
  }
  const handler = await authoredOf(folder, ['handler.js', 'handler.mjs'])
  const fault = handler === undefined ? null : await handlerFormFault(handler)
  if (handler !== undefined && fault !== null) throw new SourceFailure(handler, { code: 'handler-syntax', ...fault })
}

/** @param {string} file @param {string} other */
const both = (file, other) =>
  conflict(file, `the folder contains both \`${path.basename(file)}\` and \`${path.basename(other)}\``)

/** @param {string} folder @param {string[]} names @returns {Promise<string | undefined>} the first authored file */
async function authoredOf(folder, names) {
  for (const name of names) if (await isAuthored(path.join(folder, name))) return path.join(folder, name)
  return undefined
}

/** @param {string} folder @param {string} name @param {string} file @param {Set<string>} sources */
async function prepareOneFile(folder, name, file, sources) {
  const other = await authoredOf(folder, [
    'schema.json',
    ...PARTS.flatMap(({ names, compiled }) => [...names, ...compiled]),
  ])
  if (other !== undefined) throw both(file, other)
  const isTypeScript = TYPESCRIPT.test(file)
  if (isTypeScript) await compileTypeScript(file, sources)
  const module = path.basename(isTypeScript ? compiledPath(file) : file)
  const toolId = name.replaceAll('-', '_')
  const imported = importOf(module)
  await writeGenerated(
    path.join(folder, 'schema.mjs'),
    `${imported}\nconst { execute: _execute, reconcile: _reconcile, ...fields } = tool\n\nexport default { toolId: '${toolId}', ...fields }`,
    file,
  )
  await writeGenerated(
    path.join(folder, 'handler.mjs'),
    `${imported}\nexport const execute = context => tool.execute(context)\nexport const { parameters, reconcile } = tool`,
    file,
  )
}

/** What Node loads of the tools in one file. @param {PreparedSources['oneFile']} oneFile */
const modulesOf = oneFile =>
  new Map([...oneFile].map(([folder, file]) => [folder, TYPESCRIPT.test(file) ? compiledPath(file) : file]))

/** The definition of a module. One in CommonJS may have it as `exports.default`. @param {string} module */
const importOf = module =>
  module.endsWith('.mjs')
    ? `import tool from './${module}'\n`
    : `import module from './${module}'\n\nconst tool = module.default ?? module\n`

/**
 * Writes the guides of the tools in one file, from their schemas; an author's `guide.md` is kept.
 * @param {string} toolsDir
 * @param {PreparedSources['oneFile']} oneFile
 * @param {Awaited<ReturnType<import('./read-schema-modules.js').readSchemaModules>>} modules
 */
async function writeGuides(toolsDir, oneFile, modules) {
  for (const [folder, source] of oneFile) {
    const outcome = modules[folder]?.outcome
    const guide = path.join(toolsDir, folder, 'guide.md')
    if (outcome === undefined || !('definition' in outcome) || (await isAuthored(guide))) continue
    await writeGenerated(guide, guideText(JSON.parse(outcome.definition.json)), source)
  }
}

/**
 * @param {unknown} error
 * @param {string} folder
 * @param {string} toolsDir
 * @returns {Promise<Diagnostic>}
 */
async function findingOf(error, folder, toolsDir) {
  const { file, code, message, help, offset } = error instanceof SourceFailure ? error : writeFailure(error, folder)
  const text = (await textOf(file)) ?? ''
  const lines = text.slice(0, offset).split('\n')
  const line = lines.length
  const column = [...(lines.at(-1) ?? '')].length + 1
  const shown = path.relative(path.dirname(toolsDir), file).replaceAll(path.sep, '/')
  return { code, severity: 'error', file: shown, line, column, endLine: line, endColumn: column + 1, message, help }
}

/** @param {unknown} error of the file system @param {string} folder */
function writeFailure(error, folder) {
  const { code, path: file = folder } = /** @type {NodeJS.ErrnoException} */ (error)
  if (code === undefined) throw error
  const message = `\`${path.basename(file)}\` can't be written (${code})`
  const help = 'give the build a folder that it may write to: what it makes from TypeScript is beside the source'
  return new SourceFailure(file, { code: 'write-failed', message, help })
}

module.exports = { modulesOf, prepareSources, writeGuides }
