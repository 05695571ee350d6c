'use strict'

// Prepares tool folders for the compiler, which reads `schema.json` or `schema.mjs`, `guide.md` and plain JavaScript:
// compiles TypeScript, and makes the files of the folder layout from a tool in one file (`tool.ts`, `tool.js`).

const { existsSync } = require('node:fs')
const { readFile } = require('node:fs/promises')
const path = require('node:path')

const { isAuthored, removeOrphan, writeGenerated } = require('./generated-file.js')
const { guideText } = require('./guide-text.js')
const { findToolFolders } = require('./schema-modules.js')
const { TYPESCRIPT, TypeScriptFailure, compileTypeScript, compiledPath } = require('./typescript.js')

const TOOL_FILES = ['tool.ts', 'tool.mts', 'tool.js', 'tool.mjs']
const GENERATED = ['schema.mjs', 'handler.mjs', 'guide.md', 'tool.mjs']
/** The parts that a folder can have in TypeScript, each with the JavaScript files that make it unused. */
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
  for (const folder of await findToolFolders(toolsDir)) {
    try {
      await prepareFolder(path.join(toolsDir, folder), folder, prepared)
    } catch (error) {
      prepared.findings.push(await findingOf(/** @type {TypeScriptFailure} */ (error), toolsDir))
    }
  }
  return prepared
}

/** @param {string} folder @param {string} name @param {PreparedSources} prepared */
async function prepareFolder(folder, name, { sources, oneFile }) {
  for (const generated of GENERATED) await removeOrphan(path.join(folder, generated))
  const one = await authoredOf(folder, TOOL_FILES)
  if (one !== undefined) {
    oneFile.set(name, one)
    return prepareOneFile(folder, name, one, sources)
  }
  for (const { names, compiled } of PARTS) {
    const part = names.map(file => path.join(folder, file)).find(file => existsSync(file))
    if (part !== undefined && (await authoredOf(folder, compiled)) === undefined) await compileTypeScript(part, sources)
  }
}

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
  if (other !== undefined) {
    throw new TypeScriptFailure(
      file,
      `the folder contains both \`${path.basename(file)}\` and \`${path.basename(other)}\``,
    )
  }
  const isTypeScript = TYPESCRIPT.test(file)
  if (isTypeScript) await compileTypeScript(file, sources)
  const module = path.basename(isTypeScript ? compiledPath(file) : file)
  const toolId = name.replaceAll('-', '_')
  const imported = `import tool from './${module}'\n`
  await writeGenerated(
    path.join(folder, 'schema.mjs'),
    `${imported}\nconst { execute: _execute, ...fields } = tool\n\nexport default { toolId: '${toolId}', ...fields }`,
    file,
  )
  await writeGenerated(
    path.join(folder, 'handler.mjs'),
    `${imported}\nexport const execute = context => tool.execute(context)`,
    file,
  )
}

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

/** @param {TypeScriptFailure} error @param {string} toolsDir @returns {Promise<Diagnostic>} */
async function findingOf(error, toolsDir) {
  if (!(error instanceof TypeScriptFailure)) throw error
  const before = (await readFile(error.file, 'utf8')).slice(0, error.offset)
  const line = before.split('\n').length
  const column = [...before.slice(before.lastIndexOf('\n') + 1)].length + 1
  const file = path.relative(path.dirname(toolsDir), error.file).replaceAll(path.sep, '/')
  return {
    code: error.offset > 0 ? 'handler-syntax' : 'schema-module',
    severity: 'error',
    file,
    line,
    column,
    endLine: line,
    endColumn: column + 1,
    message: error.message,
    help: error.offset > 0 ? 'correct the TypeScript' : 'keep one of them',
  }
}

module.exports = { prepareSources, writeGuides }
