'use strict'

// The folders of installed packages with everything that they depend on.

const { existsSync, lstatSync, realpathSync } = require('node:fs')
const path = require('node:path')

const { manifestIn } = require('../tool-sets/manifests.js')

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
    // Node resolves from the real place: pnpm links packages, and puts what they depend on beside it.
    const from = realpathSync(folder)
    if (lstatSync(folder).isSymbolicLink()) found.add(from)
    open.push(...dependenciesOf(folder).map(name => ({ name, from })))
  }
  return [...found]
}

/**
 * What linked packages depend on and would not find in a copy that has files in the places of the links, as Next.js makes it.
 *
 * @param {{ name: string, from: string }[]} imported
 * @returns {string[]} names, sorted
 */
function lostByCopying(imported) {
  const linked = imported.map(({ name, from }) => folderOf(name, from)).filter(folder => folder !== null)
  const lost = linked.flatMap(folder =>
    dependenciesOf(folder).filter(
      name => folderOf(name, folder) === null && folderOf(name, realpathSync(folder)) !== null,
    ),
  )
  return [...new Set(lost)].sort()
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
  const { dependencies, optionalDependencies } = manifestIn(folder) ?? {}
  return Object.keys({ ...dependencies, ...optionalDependencies })
}

module.exports = { lostByCopying, packageFolders }
