'use strict'

// Whether a `.js` file in a folder is an ES module or CommonJS, as Node decides it.

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

/** The nearest package.json decides, also where it says nothing. */
function typeIn(home) {
  try {
    return JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')).type === 'module' ? 'module' : 'commonjs'
  } catch {
    return null
  }
}

module.exports = { moduleKind }
