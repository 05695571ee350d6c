'use strict'

// Findings about the files that the build makes of a tool in one file, moved to the file that its author wrote.

const { readFile } = require('node:fs/promises')
const path = require('node:path')

const { exportPlace, placeAt, placeOf, positionAt, quotedPlace, thrownAt } = require('./author-places.js')
const { isAuthored } = require('./generated-file.js')
const { ALIAS_HELP, isPathAlias } = require('./path-alias.js')

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
  const found = withoutRepeatedImports(told.filter(one => one !== null))
  return {
    diagnostics: found,
    texts,
    changed: found.length !== diagnostics.length || diagnostics.some((one, index) => one !== found[index]),
  }
}

/**
 * @param {Diagnostic} finding
 * @param {string} toolsDir
 * @param {PreparedSources['oneFile']} oneFile
 * @param {Map<string, string>} texts gets the text of the author's file
 * @returns {Promise<Diagnostic | null>} null if another finding is about the cause
 */
async function authorFinding(finding, toolsDir, oneFile, texts) {
  const [, folder = '', name = ''] = finding.file.split('/')
  const source = oneFile.get(folder)
  if (source === undefined || !GENERATED.has(name) || (await isAuthored(path.join(toolsDir, folder, name))))
    return finding
  if (ABOUT_CONSEQUENCES.has(finding.code)) return null
  const text = await readFile(source, 'utf8').catch(() => '')
  const fileName = path.basename(source)
  const said = await thrownAt(inTermsOfCode(finding).message, path.dirname(source))
  const isHere = said.thrown?.name === fileName
  const message =
    said.message.replaceAll(/`(?:schema|handler|tool)\.mjs`/g, `\`${fileName}\``) +
    (said.thrown === null || isHere ? '' : ` (in ${said.thrown.name}:${said.thrown.line}:${said.thrown.column})`)
  const place = (finding.pointer && placeOf(text, finding.pointer)) || placeSaid(text, message, finding.help)
  const { start, end } =
    isHere && said.thrown !== null && !IS_DEFINITION.test(message)
      ? placeAt(text, said.thrown.line, said.thrown.column)
      : (place ?? exportPlace(text))
  const [line, column] = positionAt(text, start)
  const [endLine, endColumn] = positionAt(text, end)
  const file = `${path.posix.dirname(finding.file)}/${fileName}`
  texts.set(file, text)
  return { ...finding, ...inTermsOfCode(finding), file, line, column, endLine, endColumn, message }
}

/** A missing file whose module could not be read, and faults of the guide that is made from faulty fields. */
const ABOUT_CONSEQUENCES = new Set(['missing-file', 'summary-missing', 'guide-example'])
/** What `defineTool` refuses names the field. */
const IS_DEFINITION = /^`[^`]+`: `/

/** @param {string} text @param {string} message @param {string} help */
const placeSaid = (text, message, help) => quotedPlace(text, message) ?? quotedPlace(text, help)

/** What the author of a tool in one file writes, where the compiler speaks of JSON or of the guide. @param {Diagnostic} finding */
function inTermsOfCode({ code, message, help }) {
  if (code === 'schema-not-object')
    return { message, help: `${help}, or the schema of an object, such as \`z.object({ … })\`` }
  if (code === 'summary-too-long') {
    return {
      message: message.replace('the summary', 'the first paragraph of `description`'),
      help: 'describe the tool in one or two sentences, and move the rest into another paragraph',
    }
  }
  return { message, help }
}

/**
 * Leaves out what the compiler says of an import with which the module could not be loaded either.
 * @param {Diagnostic[]} findings
 */
function withoutRepeatedImports(findings) {
  const failed = new Set(
    findings.filter(one => one.code === 'schema-module').map(({ file, message }) => `${file} ${importedIn(message)}`),
  )
  return findings.filter(one => !IMPORTS.has(one.code) || !failed.has(`${one.file} ${firstQuoted(one.message)}`))
}

const IMPORTS = new Set(['import-missing', 'package-missing'])

/** @param {string} message */
const firstQuoted = message => /`([^`]+)`/.exec(message)?.[1]
/** @param {string} message */
const importedIn = message => / imports (?:the package )?`([^`]+)`/.exec(message)?.[1]

/** No registry has a path alias. @param {Diagnostic} finding @param {string} toolsDir */
function aliasFinding(finding, toolsDir) {
  const [, name] = finding.code === 'package-missing' ? (/`([^`]+)`/.exec(finding.message) ?? []) : []
  if (name === undefined || !isPathAlias(name, path.join(path.dirname(toolsDir), finding.file))) return finding
  return { ...finding, message: `\`${name}\` is a path alias, which Node does not resolve`, help: ALIAS_HELP }
}

module.exports = { authorFindings }
