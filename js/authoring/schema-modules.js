'use strict'

// Finds the tool folders with a schema in code. The rule for folders is the compiler's.

const { readdir, stat } = require('node:fs/promises')
const path = require('node:path')

const { isToolFile } = require('../values/tool-files.js')

/** In the order of preference; the compiler reports a second one in the same folder. */
const MODULE_NAMES = ['schema.js', 'schema.mjs', 'schema.cjs']

/**
 * @param {string} toolsDir
 * @returns {Promise<{ folder: string, fileName: string, file: string }[]>} sorted by folder; empty if `toolsDir` can't
 *   be read, which the compiler reports
 */
async function findSchemaModules(toolsDir) {
  const folders = await findToolFolders(toolsDir)
  const found = await Promise.all(folders.map(folder => moduleOf(toolsDir, folder)))
  return found.filter(module => module !== null)
}

/** @param {string} toolsDir @returns {Promise<string[]>} names, sorted; empty if `toolsDir` can't be read */
async function findToolFolders(toolsDir) {
  const entries = await readdir(toolsDir, { withFileTypes: true }).catch(() => [])
  return entries
    .filter(mayBeTool)
    .map(({ name }) => name)
    .sort()
}

/** @param {import('node:fs').Dirent} entry */
const mayBeTool = entry =>
  !/^[_.]/.test(entry.name) && entry.name !== 'node_modules' && (entry.isDirectory() || entry.isSymbolicLink())

/** @param {string} toolsDir @param {string} folder */
async function moduleOf(toolsDir, folder) {
  for (const fileName of MODULE_NAMES) {
    const file = path.join(toolsDir, folder, fileName)
    const found = await stat(file).catch(() => null)
    if (found?.isFile()) return { folder, fileName, file }
  }
  return null
}

/** Whether a folder has a file of a tool. @param {string} folder */
async function hasTool(folder) {
  return (await readdir(folder).catch(() => [])).some(isToolFile)
}

module.exports = { findSchemaModules, findToolFolders, hasTool, MODULE_NAMES }
