'use strict'

// The folders of installed packages with everything that they depend on.

const { existsSync, readFileSync } = require('node:fs')
const path = require('node:path')

/**
 * Packages that are not installed are left out: optional dependencies, and packages for other systems.
 *
 * @param {{ name: string, from: string }[]} imported `from`: the folder of the importing file
 * @returns {string[]} absolute paths, each once
 */
function packageFolders(imported) {
  /** @type {Set<string>} */
  const found = new Set()
  const open = [...imported]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const folder = folderOf(next.name, next.from)
    if (folder === null || found.has(folder)) continue
    found.add(folder)
    open.push(...dependenciesOf(folder).map(name => ({ name, from: /** @type {string} */ (folder) })))
  }
  return [...found]
}

/** The nearest `node_modules/<name>`, from a folder upwards. @param {string} name @param {string} from */
function folderOf(name, from) {
  for (let home = from; ; home = path.dirname(home)) {
    const folder = path.join(home, 'node_modules', name)
    if (existsSync(path.join(folder, 'package.json'))) return folder
    if (home === path.dirname(home)) return null
  }
}

/** @param {string} folder @returns {string[]} */
function dependenciesOf(folder) {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  return Object.keys({ ...dependencies, ...optionalDependencies })
}

module.exports = { packageFolders }
