'use strict'

// Places in the file of an author: of a key, of a name, of the export, and of what threw.

const { readFile } = require('node:fs/promises')
const { SourceMap } = require('node:module')
const path = require('node:path')

const { sourceOfGenerated } = require('./generated-file.js')
const { pointerNames } = require('../values/json-pointer.js')

/** @typedef {{ start: number, end: number }} Place in UTF-16 code units */

/** `message (in lib/rank.mjs:1:2)`: where the module that Node has loaded throws. */
const THROWN = / \(in ([^():]+):(\d+):(\d+)\)$/
const EXPORT = /^[ \t]*(?:export\b|(?:module\.)?exports\b)/gm

/**
 * The place that a message names, as the author wrote it: in TypeScript, Node runs what is compiled from it.
 * @param {string} message @param {string} folder of the tool
 * @returns {Promise<{ message: string, thrown: { name: string, line: number, column: number } | null }>} `message`: without the place
 */
async function thrownAt(message, folder) {
  const [suffix, ran, line, column] = THROWN.exec(message) ?? []
  if (suffix === undefined) return { message, thrown: null }
  const plain = message.slice(0, -suffix.length)
  const file = path.join(folder, ran)
  const source = await sourceOfGenerated(file)
  if (source === null) return { message: plain, thrown: { name: ran, line: Number(line), column: Number(column) } }
  const { transform } = await import('oxc-transform')
  const text = await readFile(source, 'utf8')
  const { map } = await transform(source, text, { lang: 'ts', sourceType: 'module', sourcemap: true })
  const { originalLine = 0, originalColumn = 0 } = /** @type {Partial<import('node:module').SourceMapping>} */ (
    map === undefined ? {} : new SourceMap(/** @type {any} */ (map)).findEntry(Number(line) - 1, Number(column) - 1)
  )
  const name = path.relative(folder, source).replaceAll(path.sep, '/')
  return { message: plain, thrown: { name, line: originalLine + 1, column: originalColumn + 1 } }
}

/** @param {string} text @param {number} line @param {number} column @returns {Place} */
function placeAt(text, line, column) {
  const before = text.split('\n').slice(0, line - 1)
  const start = before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1
  return { start, end: start + (/^[\w$]+/.exec(text.slice(start))?.[0].length ?? 1) }
}

/** Where the text has something that the message quotes, or a path. @param {string} text @param {string} message @returns {Place | null} */
function quotedPlace(text, message) {
  for (const [all, name = all] of message.matchAll(/[`"]([^`"]+)[`"]|(?<= )\.{1,2}\/\S+/g)) {
    const found = new RegExp(`(?<![\\w$])${escaped(name)}(?![\\w$])`).exec(text)
    if (found !== null) return { start: found.index, end: found.index + name.length }
  }
  return null
}

/** The last export, which a default export is in most modules. @param {string} text @returns {Place} */
function exportPlace(text) {
  const last = [...text.matchAll(EXPORT)].at(-1)
  return last === undefined ? { start: 0, end: 0 } : { start: last.index, end: last.index + last[0].length }
}

/**
 * Where the text has the last name of the pointer as a key, after the names before it.
 * @param {string} text
 * @param {string} pointer
 * @returns {Place | null} null if it has none of them
 */
function placeOf(text, pointer) {
  /** @type {Place | null} */
  let place = null
  for (const name of pointerNames(pointer)) {
    const key = new RegExp(`(?<![\\w$])${escaped(name)}(?=['"]?\\s*[:,(])`)
    /** @type {number} */
    const from = place?.end ?? 0
    const found = name === '' ? null : key.exec(text.slice(from))
    if (found !== null) place = { start: from + found.index, end: from + found.index + name.length }
  }
  return place
}

/** @param {string} text */
const escaped = text => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** @param {string} text @param {number} offset @returns {[line: number, column: number]} */
function positionAt(text, offset) {
  const lines = text.slice(0, offset).split('\n')
  return [lines.length, [...(lines.at(-1) ?? '')].length + 1]
}

module.exports = { exportPlace, placeAt, placeOf, positionAt, quotedPlace, thrownAt }
