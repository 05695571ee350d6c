'use strict'

// What source files import, read from their text: nothing runs. A specifier in a comment counts too, which does no harm where
// installed packages are copied.

const { readFileSync, readdirSync, statSync } = require('node:fs')
const { isBuiltin } = require('node:module')
const path = require('node:path')

const SOURCE = /\.(?:[cm]?[jt]s|json)$/
/** The extensions that a relative specifier may leave out, and TypeScript's in the place of JavaScript's. */
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.json', '.ts', '/index.js', '/index.ts']
/** A statement that TypeScript removes. */
const TYPES_ONLY = /\b(?:import|export)\s+type\s[^'"`;]*['"][^'"\n]*['"]/g
const SPECIFIER = /\b(?:from|import|require|resolve)\s*\(?\s*(?:'([^'\n]+)'|"([^"\n]+)")/g
/** More files than tools have: a folder that was named by mistake does not hold up a build. */
const MAX_FILES = 10_000
const MAX_FILE_BYTES = 4 * 1024 * 1024

/**
 * @param {string[]} folders with what is below them, but for `node_modules`
 * @returns {{ packages: { name: string, from: string }[], files: string[] }} the packages, each with the folder of a file that
 *   imports it; `files`: those that are loaded by relative specifiers, outside of the folders
 */
function importsOf(folders) {
  /** @type {Set<string>} */
  const seen = new Set()
  /** @type {Map<string, { name: string, from: string }>} */
  const packages = new Map()
  const open = folders.flatMap(sourcesBelow)
  for (let file = open.pop(); file !== undefined && seen.size < MAX_FILES; file = open.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    const from = path.dirname(file)
    for (const specifier of specifiersIn(file)) {
      if (specifier.startsWith('.')) open.push(...resolved(from, specifier))
      else if (isPackage(specifier))
        packages.set(`${from}\0${packageOf(specifier)}`, { name: packageOf(specifier), from })
    }
  }
  const isOutside = (/** @type {string} */ file) =>
    folders.every(folder => path.relative(folder, file).startsWith('..'))
  return { packages: [...packages.values()], files: [...seen].filter(isOutside).sort() }
}

/** The source files below a folder, not all of them if there are too many. @param {string} folder @returns {string[]} */
function sourcesBelow(folder) {
  const found = []
  const open = [folder]
  for (let next = open.pop(); next !== undefined && found.length + open.length < MAX_FILES; next = open.pop()) {
    for (const entry of entriesOf(next)) {
      const place = path.join(next, entry.name)
      if (entry.isDirectory()) open.push(...(entry.name === 'node_modules' ? [] : [place]))
      else if (SOURCE.test(entry.name) && !entry.name.endsWith('.json')) found.push(place)
    }
  }
  return found
}

/** @param {string} folder which need not be there */
function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** @param {string} file */
function specifiersIn(file) {
  if (file.endsWith('.json') || statSync(file).size > MAX_FILE_BYTES) return []
  const text = readFileSync(file, 'utf8').replace(TYPES_ONLY, '')
  return [...text.matchAll(SPECIFIER)].map(([, single, double]) => single ?? double)
}

/** The file of a relative specifier, as Node and TypeScript find it. @param {string} from @param {string} specifier */
function resolved(from, specifier) {
  const plain = path.resolve(from, specifier.replace(/[?#].*$/, ''))
  const candidates = [...ENDINGS.map(ending => plain + ending), plain.replace(/\.([cm]?)js$/, '.$1ts')]
  const found = candidates.find(file => SOURCE.test(file) && statSync(file, { throwIfNoEntry: false })?.isFile())
  return found === undefined ? [] : [found]
}

/** @param {string} specifier */
const isPackage = specifier => /^(?:@[\w.~-]+\/)?[\w.~-]+(?:\/|$)/.test(specifier) && !isBuiltin(specifier)

/** The package of a specifier: `zod/mini` → `zod`. @param {string} specifier */
const packageOf = specifier =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

module.exports = { importsOf, packageOf }
