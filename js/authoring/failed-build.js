'use strict'

// A build whose TypeScript could not be compiled: the compiler's report with those findings, and its text.

/**
 * @typedef {import('../../index.js').BuildReport} BuildReport
 * @typedef {import('../../index.js').Diagnostic} Diagnostic
 */

/**
 * @param {BuildReport} report of the compiler
 * @param {Diagnostic[]} findings
 * @returns {BuildReport} without the compiler's findings about the files that are missing for this reason
 */
function withFindings(report, findings) {
  const folders = new Set(findings.map(folderOf))
  const others = report.diagnostics.filter(one => one.severity === 'warning' || !folders.has(folderOf(one)))
  const diagnostics = [...others, ...findings].sort((a, b) =>
    a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line,
  )
  return { ok: false, version: null, tools: [], diagnostics }
}

/** @param {Diagnostic} finding `tools/search/tool.ts` → `tools/search` */
const folderOf = ({ file }) => file.split('/').slice(0, 2).join('/')

class FailedBuild {
  #report

  /** @param {BuildReport} report */
  constructor(report) {
    this.#report = report
  }

  /** The findings and the result, as text. */
  format() {
    const errors = this.#report.diagnostics.filter(({ severity }) => severity === 'error').length
    return `${this.findings()}${errors} error${errors === 1 ? '' : 's'}; the last good tool set is untouched\n`
  }

  /** The findings as text. */
  findings() {
    return this.#report.diagnostics
      .map(
        ({ severity, code, message, file, line, column, help }) =>
          `${severity}[${code}]: ${message}\n  --> ${file}:${line}:${column}\n  help: ${help}\n\n`,
      )
      .join('')
  }
}

module.exports = { FailedBuild, withFindings }
