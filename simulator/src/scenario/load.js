// Loads a scenario from a file or an object. All findings are reported at once, with file, line and JSON Pointer.

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNodeAtLocation, parseTree, printParseErrorCode } from 'jsonc-parser'
import { compileRules } from './compile.js'
import { ScenarioError } from './error.js'
import { schemaFindings } from './schema-findings.js'

/**
 * @import { Node as JsonTreeNode, ParseError } from 'jsonc-parser'
 * @import { CompiledScenario } from './compile.js'
 * @import { Finding, FindingPosition } from './error.js'
 * @import { ScenarioAudio, ScenarioDocument } from './types.js'
 */

/** The shipped scenario: useful behavior for a person who tries the product without an API key. */
export const DEFAULT_SCENARIO_FILE = fileURLToPath(new URL('../../scenarios/default.json', import.meta.url))

/** @type {import('./types.js').ScenarioSettings} */
const DEFAULT_SETTINGS = {
  label: '[simulator] ',
  pieceChars: 24,
  pieceDelayMs: 0,
  toneMs: 80,
  listenMs: 1500,
  sessionSeconds: 3600,
  resumedCalls: 'forgotten',
}
/** @type {ScenarioAudio} */
const DEFAULT_AUDIO = {
  transcripts: [],
  untranscribed:
    'This is the Toolgate simulator. It received {{audio.seconds}} s of audio and cannot transcribe speech; type instead.',
}

/**
 * @param {string | URL} file path of a scenario file (strict JSON)
 * @returns {CompiledScenario}
 * @throws {ScenarioError} with line and column of each finding
 */
export function loadScenarioFile(file) {
  const source = basename(file instanceof URL ? fileURLToPath(file) : file)
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause)
    throw new ScenarioError(source, [{ pointer: '', message: `the file cannot be read (${code ?? message})` }])
  }
  /** @type {ParseError[]} */
  const parseErrors = []
  const tree = parseTree(text, parseErrors, { disallowComments: true, allowTrailingComma: false })
  if (parseErrors.length > 0 || tree === undefined) {
    const findings = parseErrors.map(({ error, offset }) => ({
      pointer: '',
      message: `not JSON: ${wordsOf(printParseErrorCode(error))}`,
      ...lineAndColumn(text, offset),
    }))
    throw new ScenarioError(source, findings.length > 0 ? findings : [{ pointer: '', message: 'the file is empty' }])
  }
  /** @param {string} pointer */
  const locate = pointer => lineAndColumn(text, nearestNode(tree, pointer).offset)
  return compileScenario(JSON.parse(text), { source, locate })
}

/**
 * @param {unknown} document a scenario object, of the same shape as in files
 * @param {{ source?: string, locate?: (pointer: string) => FindingPosition }} [origin]
 * @returns {CompiledScenario}
 * @throws {ScenarioError}
 */
export function compileScenario(document, { source = 'scenario object', locate = () => ({}) } = {}) {
  /** @param {Finding[]} found */
  const report = found => {
    throw new ScenarioError(
      source,
      found.map(finding => ({ ...finding, ...locate(finding.pointer) })),
    )
  }
  const shape = schemaFindings(document)
  if (shape.length > 0) report(shape)
  const valid = /** @type {ScenarioDocument} */ (document)
  /** @type {Finding[]} */
  const findings = []
  const audio = { ...DEFAULT_AUDIO, ...valid.audio }
  const rules = compileRules(valid, audio, findings)
  if (findings.length > 0) report(findings)
  const settings = { ...DEFAULT_SETTINGS, ...valid.settings }
  return { name: valid.name ?? source, settings, audio, otherwise: valid.otherwise, rules }
}

/** @param {JsonTreeNode} tree @param {string} pointer */
function nearestNode(tree, pointer) {
  const path = pointer
    .split('/')
    .slice(1)
    .map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map(segment => (/^\d+$/.test(segment) ? Number(segment) : segment))
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length))
    if (node !== undefined) return node
  }
  return tree
}

/** @param {string} text @param {number} offset @returns {FindingPosition} */
function lineAndColumn(text, offset) {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

/** @param {string} code in camel case */
function wordsOf(code) {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
}
