'use strict'

// Where an error was thrown, as far as its stack says: the line in the module itself, or the file that it comes from.

const { realpathSync } = require('node:fs')
const path = require('node:path')
const { fileURLToPath } = require('node:url')

/** `at name (file:///a/b.js:1:2)`, `at /a/b.js:1:2`. */
const FRAME = /^\s+at (?:.*\()?((?:file:\/\/)?[^()]+):(\d+):(\d+)\)?$/

/**
 * @param {unknown} thrown @param {string} file the module that was loaded
 * @returns {{ line?: number, column?: number, elsewhere?: string } | null} `elsewhere`: a file of the author that the module
 *   loads, relative to it, with line and column
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

function framesOf(thrown) {
  const stack = typeof thrown?.stack === 'string' ? thrown.stack : ''
  return stack.split('\n').flatMap(text => {
    const [, place, line, column] = FRAME.exec(text) ?? []
    if (place === undefined || place.startsWith('node:') || place.includes(__dirname)) return []
    return [
      { file: place.startsWith('file://') ? withoutQuery(place) : place, line: Number(line), column: Number(column) },
    ]
  })
}

const withoutQuery = url => fileURLToPath(url.split('?', 1)[0])

module.exports = { whereThrown }
