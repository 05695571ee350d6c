'use strict'

// `toolgate explain <code>`: prints the documentation of a finding.

const { UsageError } = require('../exit.js')
const { nearest } = require('../../tool-sets/suggest.js')
const { table } = require('../table.js')
const { lookOf } = require('../terminal.js')

/** @param {string | undefined} code */
function run(code) {
  const { renderMarkdown } = require('../describe/markdown.js')
  const { readFindingsPage } = require('../findings-page.js')
  const { index, sections } = readFindingsPage()
  const look = lookOf(process.stdout)
  if (code === undefined) {
    process.stdout.write(
      table([['CODE', 'SEVERITY', 'WHAT IS WRONG'], ...index.map(row => [row.code, row.severity, row.line])], look),
    )
    return
  }
  const section = sections.get(code)
  if (section === undefined) throw new UsageError(`there is no finding \`${code}\``, hintFor(code, sections))
  process.stdout.write(renderMarkdown(labelled(section), look))
}

/** @param {string} code @param {Map<string, string>} sections */
function hintFor(code, sections) {
  const near = nearest(code, [...sections.keys()])
  return near === null ? '`toolgate explain` lists them' : `did you mean \`${near}\`?`
}

/**
 * Moves the file name of an example from its fence to a line of its own: a terminal does not show fences.
 * @param {string} section
 */
const labelled = section => section.replace(/^(`{3,}\w+) (\S+)$/gm, (_, fence, place) => `\`${place}\`:\n\n${fence}`)

module.exports = {
  name: 'explain',
  summary: 'explain a finding',
  description: `Explains what a finding of \`check\` or \`build\` means, why it matters, and how it is corrected, with an example; without a code it
lists all of them.`,
  examples: ['toolgate explain bad-default', 'toolgate explain'],
  /** @param {import('commander').Command} command */
  options: command => command.argument('[code]', 'the code in brackets: error[bad-default]'),
  run,
}
