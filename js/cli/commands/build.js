'use strict'

// `toolgate build`: checks the tools and writes the tool set.

const path = require('node:path')

const { compile, formatFindings } = require('../compiler.js')
const { counted, tally, talliedText } = require('../counted.js')
const { EXIT } = require('../exit.js')
const { requireSources, settingsOf, takesOutput } = require('../command-settings.js')
const { lookOf, printedJson } = require('../terminal.js')

/**
 * @typedef {import('../command-settings.js').Settings} Settings
 * @typedef {import('toolgate').BuildReport} BuildReport
 */

/**
 * @param {string | undefined} folder
 * @param {import('../command-settings.js').SourceFlags & { denyWarnings?: boolean, json?: boolean }} flags
 */
async function run(folder, flags) {
  const settings = settingsOf(folder, flags)
  // As JSON, the report has a finding about it.
  if (!flags.json) requireSources(settings)
  const { report, denied } = await built(settings, flags)
  if (flags.json) process.stdout.write(printedJson(report))
  else process.stdout.write(formatFindings(report, lookOf(process.stdout)) + closingLine(report, settings, denied))
  return report.ok && !denied ? EXIT.ok : EXIT.failed
}

/**
 * With denied warnings nothing may be written, so the first compilation writes nothing.
 * @param {Settings} settings
 * @param {{ denyWarnings?: boolean }} flags
 */
async function built(settings, { denyWarnings = false }) {
  if (denyWarnings) {
    const { report } = await compile(settings, 'nothing')
    if (!report.ok || tally(report).warnings > 0) return { report, denied: true }
  }
  return { report: (await compile(settings, 'files')).report, denied: false }
}

/** @param {BuildReport} report @param {Settings} settings @param {boolean} denied */
function closingLine(report, { outDir }, denied) {
  if (denied || !report.ok)
    return `${talliedText(report)}${denied && report.ok ? ' (denied)' : ''}; the last good tool set is untouched\n`
  const { warnings } = tally(report)
  const file = path.relative('', path.join(outDir, 'tool_registry.json')) || '.'
  return `built ${counted(report.tools.length, 'tool')}, version ${report.version}${warnings > 0 ? `, ${counted(warnings, 'warning')}` : ''}: ${file}\n`
}

module.exports = {
  name: 'build',
  summary: 'check the tools and write the tool set',
  description: `Checks every tool and writes tool_registry.json, tool_registry.d.ts and handlers.mjs.
All findings of all tools are printed at once. An error leaves the last good tool set in place. Handlers are parsed, never
run; a schema.js is run, in a thread of its own. A tool can be one file, tool.ts or tool.js, with defineTool(). TypeScript is
compiled to .mjs files beside it; types are not checked.`,
  examples: [
    'toolgate build',
    'toolgate build src/tools --out dist',
    'toolgate build --deny-warnings --json > report.json',
  ],
  /** @param {import('commander').Command} command */
  options: command =>
    takesOutput(command)
      .option('--deny-warnings', 'fail, and write nothing, if there are warnings')
      .option('--json', 'print the report as JSON: { ok, version, tools, diagnostics }'),
  run,
}
