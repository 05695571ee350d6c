'use strict'

// Writes the files of a new tool into its folder.

const { existsSync } = require('node:fs')
const { mkdir, rm, writeFile } = require('node:fs/promises')
const { createRequire } = require('node:module')
const path = require('node:path')

const { CommandFailure } = require('../exit.js')
const { moduleKind, testRunner } = require('./project-manifest.js')
const { toolIdOf } = require('./tool-name.js')

/**
 * @param {{ toolsDir: string, name: string, category: string, form: import('./one-file.js').FileForm | null }} tool
 *   `form`: null for the folder layout
 * @returns {Promise<{ folder: string, files: string[] }>} `files`: their names, sorted
 * @throws {CommandFailure} if the folder exists or can't be written
 */
async function writeNewTool({ toolsDir, name, category, form }) {
  const folder = path.join(toolsDir, name)
  const kind = form === null ? moduleKind(toolsDir) : 'module'
  const template = require(`./${category}.js`)({ toolId: toolIdOf(name), kind, runner: testRunner(toolsDir) })
  const files =
    form === null
      ? {
          'schema.json': `${JSON.stringify({ $schema: editorSchema(folder), ...template.schema }, null, 2)}\n`,
          ...template.texts,
        }
      : require('./one-file.js').oneFileTexts(template, form)
  await writeFiles(folder, files)
  return { folder, files: Object.keys(files).sort() }
}

/**
 * The form of a tool in one file.
 * @param {{ ts?: boolean, zod?: boolean }} flags
 * @param {string} toolsDir
 * @returns {import('./one-file.js').FileForm}
 */
const formOf = ({ ts, zod = false }, toolsDir) => ({
  // `.mjs` is an ES module in every project.
  extension: ts === true ? 'ts' : moduleKind(toolsDir) === 'module' ? 'js' : 'mjs',
  zod,
})

/** Whether a package can be imported from a folder, which need not exist. @param {string} name @param {string} folder */
function isInstalled(name, folder) {
  try {
    createRequire(path.join(folder, 'any.js')).resolve(name)
    return true
  } catch {
    return false
  }
}

/**
 * Writes all files; removes the folder if one can't be written.
 * @param {string} folder
 * @param {Record<string, string>} files
 */
async function writeFiles(folder, files) {
  await mkdir(path.dirname(folder), { recursive: true }).catch(throwWriteFailure(path.dirname(folder)))
  await mkdir(folder).catch(throwWriteFailure(folder))
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text, { flag: 'wx' })
  } catch (cause) {
    await rm(folder, { recursive: true, force: true })
    throw throwWriteFailure(folder)(/** @type {NodeJS.ErrnoException} */ (cause))
  }
}

/** @param {string} folder @returns {(cause: NodeJS.ErrnoException) => never} */
const throwWriteFailure = folder => cause => {
  const shown = path.relative('', folder) || '.'
  if (cause.code === 'EEXIST')
    throw new CommandFailure(`\`${shown}\` already exists`, 'choose another name, or remove it')
  throw new CommandFailure(
    `\`${shown}\` can't be created: ${cause.code ?? cause.message}`,
    'check the permissions of the folder',
  )
}

/** The path of the JSON Schema of schema.json, relative to the tool's folder, for editors. @param {string} folder */
function editorSchema(folder) {
  const file = path.join(__dirname, '..', '..', '..', 'schemas', 'tool.schema.json')
  return path.relative(folder, installed(folder) ?? file).replaceAll(path.sep, '/')
}

/**
 * The schema in the project's node_modules, without resolving links, which may lead out of the project.
 * @param {string} folder
 */
function installed(folder) {
  for (let home = path.dirname(folder); ; home = path.dirname(home)) {
    const file = path.join(home, 'node_modules', 'toolgate', 'schemas', 'tool.schema.json')
    if (existsSync(file)) return file
    if (home === path.dirname(home)) return null
  }
}

module.exports = { formOf, isInstalled, writeNewTool }
