'use strict'
// Reads the package.json of projects and packages. One that is absent, or can't be read, says nothing.

const { readFileSync } = require('node:fs')
const path = require('node:path')

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */

/** An editor may begin the file with a byte order mark. @param {string} folder @returns {JsonObject | null} */
function manifestIn(folder) {
  try {
    const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8').replace(/^\ufeff/, ''))
    return typeof manifest === 'object' ? manifest : null
  } catch {
    return null
  }
}

/** Each package.json from a folder upwards. @param {string} folder @returns {JsonObject[]} */
function manifestsAbove(folder) {
  const home = path.resolve(folder)
  const above = home === path.dirname(home) ? [] : manifestsAbove(path.dirname(home))
  const manifest = manifestIn(home)
  return manifest === null ? above : [manifest, ...above]
}

module.exports = { manifestIn, manifestsAbove }
