'use strict'

// Reads docs/diagnostics.md, which the package ships: the documentation of each finding's code.

const { readFileSync } = require('node:fs')
const path = require('node:path')

const { CommandFailure } = require('./exit.js')

const PAGE = path.join(__dirname, '..', '..', 'docs', 'diagnostics.md')

/**
 * @typedef {{ code: string, severity: string, line: string }} FindingRow
 * @returns {{ index: FindingRow[], sections: Map<string, string> }} `index`: the table at the top; `sections`: by code
 *   the Markdown of its section, heading included
 * @throws {CommandFailure}
 */
function readFindingsPage() {
  let text
  try {
    text = readFileSync(PAGE, 'utf8').replaceAll('\r\n', '\n')
  } catch (cause) {
    throw new CommandFailure(
      `\`${PAGE}\` can't be read (${/** @type {NodeJS.ErrnoException} */ (cause).code})`,
      'install toolgate again',
    )
  }
  const [top, ...sections] = split(text)
  const rows = top.matchAll(/^\| \[`(?<code>[^`]+)`\]\([^)]*\) \| (?<severity>\w+) \| (?<line>.*) \|$/gm)
  return {
    index: [...rows].map(({ groups }) => /** @type {FindingRow} */ ({ ...groups })),
    // `split` begins every section with a heading.
    sections: new Map(
      sections.map(section => [/** @type {RegExpExecArray} */ (/^## (.*)$/m.exec(section))[1], section]),
    ),
  }
}

/**
 * Splits at headings of the second level, except in code fences: examples of guides contain such headings.
 * @param {string} text
 */
function split(text) {
  const parts = ['']
  let fence = null
  for (const line of text.split('\n')) {
    if (fence !== null) fence = line === fence ? null : fence
    else fence = /^`{3,}/.exec(line)?.[0] ?? null
    if (fence === null && line.startsWith('## ')) parts.push('')
    parts[parts.length - 1] += `${line}\n`
  }
  return parts
}

module.exports = { readFindingsPage }
