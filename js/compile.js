'use strict'

// The compiler as hosts use it.

const path = require('node:path')

const native = require('../native.js')

const SHIPPED_TOOLS = path.join(__dirname, '..', 'tools')

/** The terminal's text of a report, kept beside it: it is made by the compiler, not here. */
const texts = new WeakMap()

/**
 * Reads `<toolsDir>/<tool>/`, checks everything, and writes the artifact where there are no errors.
 * @param {{ toolsDir?: string, outDir?: string, modes?: string[] }} [options] by default the shipped tools
 */
function buildTools({ toolsDir = SHIPPED_TOOLS, outDir, modes } = {}) {
  const options = { toolsDir: path.resolve(toolsDir), modes, outDir: outDir === undefined ? undefined : path.resolve(outDir) }
  const { report, text } = JSON.parse(native.buildTools(JSON.stringify(options)))
  texts.set(report, text)
  return report
}

/** A report as text for a terminal. */
function formatReport(report) {
  const text = texts.get(report)
  if (text === undefined) throw new TypeError('formatReport() takes a report of buildTools()')
  return text
}

module.exports = { buildTools, formatReport }
