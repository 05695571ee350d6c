'use strict'

// Reads the source of an error from its stack: the line in the module itself, or another file of the author.

const { realpathSync } = require('node:fs')
const path = require('node:path')
const { fileURLToPath } = require('node:url')

const { memberOf } = require('../values/foreign.js')

/** The code of this package, which an author's call may reach. */
const OWN = path.join(__dirname, '..') + path.sep
/** `at name (file:///a/b.js:1:2)`, `at /a/b.js:1:2`. */
const FRAME = /^\s+at (?:.*\()?((?:file:\/\/)?[^()]+):(\d+):(\d+)\)?$/

/**
 * @param {unknown} thrown @param {string} file the loaded module
 * @returns {{ line?: number, column?: number, elsewhere?: string } | null} `elsewhere`: a file of the author that the
 *   module loads, relative to it, with line and column
 */
function whereThrown(thrown, file) {
  const frames = framesOf(thrown).filter(frame => !frame.file.includes(`${path.sep}node_modules${path.sep}`))
  const home = realpathSync(file)
  const own = frames.find(frame => frame.file === home || frame.file === file)
  const first = frames[0]
  if (first === undefined) return null
  const elsewhere =
    first === own
      ? undefined
      : `${path.relative(path.dirname(home), first.file).replaceAll(path.sep, '/')}:${first.line}:${first.column}`
  return { line: own?.line, column: own?.column, elsewhere }
}

/** @param {unknown} thrown */
function framesOf(thrown) {
  const stack = memberOf(thrown, 'stack')
  return (typeof stack === 'string' ? stack : '').split('\n').flatMap(text => {
    const [, location, line, column] = FRAME.exec(text) ?? []
    if (location === undefined || location.startsWith('node:') || location.includes(OWN)) return []
    return [
      {
        file: location.startsWith('file://') ? withoutQuery(location) : location,
        line: Number(line),
        column: Number(column),
      },
    ]
  })
}

/** @param {string} url */
const withoutQuery = url => fileURLToPath(url.split('?', 1)[0])

module.exports = { whereThrown }
