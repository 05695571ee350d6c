'use strict'

// Which tool folders have a schema in code. What a folder is to the compiler is a folder here too.

const { readdir, stat } = require('node:fs/promises')
const path = require('node:path')

/** In the order of preference; a second one in the same folder is the compiler's finding. */
const MODULE_NAMES = ['schema.js', 'schema.mjs', 'schema.cjs']

/**
 * @param {string} toolsDir
 * @returns {Promise<{ folder: string, fileName: string, file: string }[]>} sorted by folder; none where the folder can't be
 *   read, which the compiler reports
 */
async function findSchemaModules(toolsDir) {
  const entries = await readdir(toolsDir, { withFileTypes: true }).catch(() => [])
  const folders = entries
    .filter(mayBeTool)
    .map(({ name }) => name)
    .sort()
  const found = await Promise.all(folders.map(folder => moduleOf(toolsDir, folder)))
  return found.filter(module => module !== null)
}

const mayBeTool = entry =>
  !/^[_.]/.test(entry.name) && entry.name !== 'node_modules' && (entry.isDirectory() || entry.isSymbolicLink())

async function moduleOf(toolsDir, folder) {
  for (const fileName of MODULE_NAMES) {
    const file = path.join(toolsDir, folder, fileName)
    const found = await stat(file).catch(() => null)
    if (found?.isFile()) return { folder, fileName, file }
  }
  return null
}

module.exports = { findSchemaModules, MODULE_NAMES }
