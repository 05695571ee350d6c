'use strict'

// A report whose findings are not those of the compiler alone, as text.

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

class ReportText {
  #report
  #compiled
  #texts

  /**
   * @param {BuildReport} report
   * @param {Map<string, string>} texts of the files that authors wrote, by the name of a finding's file
   * @param {import('../../native.js').NativeBuild | null} compiled the build that the report is of; null if it failed before
   */
  constructor(report, texts, compiled) {
    this.#report = report
    this.#texts = texts
    this.#compiled = compiled
  }

  /** The findings and the result, as text. @param {string} style */
  format(style) {
    if (this.#compiled !== null && this.#report.ok) {
      return this.findings() + this.#compiled.format(style).slice(this.#compiled.findings(style).length)
    }
    const count = (/** @type {string} */ wanted, /** @type {number} */ from) => {
      const found = this.#report.diagnostics.filter(({ severity }) => severity === wanted).length
      return found < from ? [] : [`${found} ${wanted}${found === 1 ? '' : 's'}`]
    }
    return `${this.findings()}${[...count('error', 0), ...count('warning', 1)].join(', ')}; the last good tool set is untouched\n`
  }

  /** The findings as text. */
  findings() {
    return this.#report.diagnostics
      .map(
        ({ severity, code, message, file, line, column, endLine, endColumn, pointer, help }) =>
          `${severity}[${code}]: ${message}\n  --> ${file}:${line}:${column}\n${excerpt(this.#texts.get(file), { line, column, endLine, endColumn })}${pointer ? `  the value is at \`${pointer}\`\n` : ''}  help: ${help}\n\n`,
      )
      .join('')
  }
}

/** The code points of a line that are shown before and after the place. */
const SHOWN = 60

/**
 * The line of a place, with the place marked.
 * @param {string | undefined} text
 * @param {{ line: number, column: number, endLine: number, endColumn: number }} place
 */
function excerpt(text, { line, column, endLine, endColumn }) {
  // No file may control the terminal.
  const points = [...(text?.split('\n')[line - 1]?.replaceAll(/\p{C}/gu, ' ').trimEnd() ?? '')]
  if (points.length === 0) return ''
  const from = Math.max(0, column - 1 - SHOWN)
  const shown = points.slice(from, column - 1 + SHOWN).join('')
  const width = Math.max(1, Math.min(endLine === line ? endColumn - column : 1, SHOWN))
  const margin = ' '.repeat(String(line).length)
  return `  ${line} | ${shown}\n  ${margin} | ${' '.repeat(column - 1 - from)}${'^'.repeat(width)}\n`
}

module.exports = { ReportText, withFindings }
