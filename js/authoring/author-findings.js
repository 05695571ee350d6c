'use strict'

// Findings about the files that the build makes of a tool in one file, moved to the file that its author wrote.

const { readFile } = require('node:fs/promises')
const path = require('node:path')

const { isAuthored } = require('./generated-file.js')
const { ALIAS_HELP, isPathAlias } = require('./path-alias.js')
const { pointerNames } = require('../values/json-pointer.js')

/**
 * @typedef {import('../../index.js').Diagnostic} Diagnostic
 * @typedef {import('./tool-sources.js').PreparedSources} PreparedSources
 */

const GENERATED = new Set(['schema.mjs', 'handler.mjs', 'guide.md', 'tool.mjs'])

/**
 * @param {Diagnostic[]} diagnostics of the compiler
 * @param {string} toolsDir
 * @param {PreparedSources['oneFile']} oneFile
 * @returns {Promise<{ diagnostics: Diagnostic[], texts: Map<string, string>, changed: boolean }>} `texts`: of the authors' files, by
 *   the name in findings
 */
async function authorFindings(diagnostics, toolsDir, oneFile) {
  /** @type {Map<string, string>} */
  const texts = new Map()
  const told = await Promise.all(
    diagnostics.map(one => authorFinding(aliasFinding(one, toolsDir), toolsDir, oneFile, texts)),
  )
  const found = told.filter(one => one !== null)
  return { diagnostics: found, texts, changed: diagnostics.some((one, index) => one !== found[index]) }
}

/**
 * @param {Diagnostic} finding
 * @param {string} toolsDir
 * @param {PreparedSources['oneFile']} oneFile
 * @param {Map<string, string>} texts gets the text of the author's file
 * @returns {Promise<Diagnostic | null>} null for a guide that is missing because the schema could not be read
 */
async function authorFinding(finding, toolsDir, oneFile, texts) {
  const [, folder = '', name = ''] = finding.file.split('/')
  const source = oneFile.get(folder)
  if (source === undefined || !GENERATED.has(name) || (await isAuthored(path.join(toolsDir, folder, name))))
    return finding
  if (finding.code === 'missing-file') return null
  const text = await readFile(source, 'utf8').catch(() => '')
  const fileName = path.basename(source)
  const message = finding.message
    .replaceAll(/`(?:schema|handler|tool)\.mjs`/g, `\`${fileName}\``)
    .replace(/ \(in tool\.[cm]?js:\d+:\d+\)$/, '')
  const { start, end } = finding.pointer
    ? placeOf(text, finding.pointer)
    : (thrownPlace(text, finding.message, fileName) ?? quotedPlace(text, message))
  const [line, column] = positionAt(text, start)
  const [endLine, endColumn] = positionAt(text, end)
  const file = `${path.posix.dirname(finding.file)}/${fileName}`
  texts.set(file, text)
  return { ...finding, file, line, column, endLine, endColumn, message }
}

/** No registry has a path alias. @param {Diagnostic} finding @param {string} toolsDir */
function aliasFinding(finding, toolsDir) {
  const [, name] = finding.code === 'package-missing' ? (/`([^`]+)`/.exec(finding.message) ?? []) : []
  if (name === undefined || !isPathAlias(name, path.join(path.dirname(toolsDir), finding.file))) return finding
  return { ...finding, message: `\`${name}\` is a path alias, which Node does not resolve`, help: ALIAS_HELP }
}

/**
 * Where the module throws: by the line that Node has given, if it runs what the author wrote; else where the text has the name that
 * is not defined.
 * @param {string} text @param {string} message @param {string} fileName
 */
function thrownPlace(text, message, fileName) {
  const [, ran, line, column] = /\(in ([^():]+):(\d+):(\d+)\)$/.exec(message) ?? []
  const [, name] = / ([\w$]+) is not defined/.exec(message) ?? []
  const lines = text.split('\n')
  const start =
    ran === fileName
      ? lines.slice(0, Number(line) - 1).join('\n').length + Number(column)
      : name === undefined
        ? -1
        : text.indexOf(name)
  return start < 0 ? null : { start, end: start + (name?.length ?? 1) }
}

/** Where the text has something that the message quotes. @param {string} text @param {string} message */
function quotedPlace(text, message) {
  for (const [, name] of message.matchAll(/`([^`]+)`/g)) {
    const start = text.indexOf(name)
    if (start >= 0) return { start, end: start + name.length }
  }
  return { start: 0, end: 0 }
}

/**
 * Where the text has the last name of the pointer as a key, after the names before it; its beginning if it has none.
 * @param {string} text
 * @param {string} pointer
 */
function placeOf(text, pointer) {
  let place = { start: 0, end: 0 }
  for (const name of pointerNames(pointer)) {
    const key = new RegExp(`(?<![\\w$])${escaped(name)}(?=['"]?\\s*[:,(])`)
    const found = name === '' ? null : key.exec(text.slice(place.end))
    if (found !== null) place = { start: place.end + found.index, end: place.end + found.index + name.length }
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

module.exports = { authorFindings }
