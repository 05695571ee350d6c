'use strict'

// Whether Node reads a `.js` file in a folder as an ES module or as CommonJS.

const { readFileSync } = require('node:fs')
const path = require('node:path')

/** @param {string} folder which need not be there yet @returns {'module' | 'commonjs'} */
function moduleKind(folder) {
  for (let home = path.resolve(folder); ; home = path.dirname(home)) {
    const type = typeIn(home)
    if (type !== null) return type
    if (home === path.dirname(home)) return 'commonjs'
  }
}

/** The nearest package.json decides; without `type` it means CommonJS. @param {string} home */
function typeIn(home) {
  try {
    return JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')).type === 'module' ? 'module' : 'commonjs'
  } catch {
    return null
  }
}

module.exports = { moduleKind }
