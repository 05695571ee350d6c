'use strict'

// docs/diagnostics.md, which the package ships: what there is to say of each finding's code.

const { readFileSync } = require('node:fs')
const path = require('node:path')

const { CommandFailure } = require('./exit.js')

const PAGE = path.join(__dirname, '..', '..', 'docs', 'diagnostics.md')

/**
 * @returns {{ index: { code: string, severity: string, line: string }[], sections: Map<string, string> }} `index`: the table at the
 *   top; `sections`: by code the Markdown of its section, heading included
 * @throws {CommandFailure}
 */
function readFindingsPage() {
  let text
  try {
    text = readFileSync(PAGE, 'utf8').replaceAll('\r\n', '\n')
  } catch (cause) {
    throw new CommandFailure(`\`${PAGE}\` can't be read (${cause.code})`, 'install toolgate again')
  }
  const [top, ...sections] = split(text)
  const rows = top.matchAll(/^\| \[`(?<code>[^`]+)`\]\([^)]*\) \| (?<severity>\w+) \| (?<line>.*) \|$/gm)
  return {
    index: [...rows].map(({ groups }) => ({ ...groups })),
    sections: new Map(sections.map(section => [/^## (.*)$/m.exec(section)[1], section])),
  }
}

/** At headings of the second level; examples of guides have such headings too, within their fences. */
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
