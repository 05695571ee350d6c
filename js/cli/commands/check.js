'use strict'

// `toolgate check`: the findings of a build, without writing anything.

const { compile, formatFindings } = require('../compiler.js')
const { counted, tally, talliedText } = require('../counted.js')
const { EXIT } = require('../exit.js')
const { requireSources, settingsOf, takesSources } = require('../command-settings.js')
const { lackedByStandalone } = require('../doctor/standalone.js')
const { harmless, lookOf, printedJson } = require('../terminal.js')

/**
 * @param {string | undefined} folder
 * @param {import('../command-settings.js').SourceFlags & { denyWarnings?: boolean, json?: boolean }} flags
 */
async function run(folder, flags) {
  const settings = settingsOf(folder, flags)
  // As JSON, the report has a finding about it.
  if (!flags.json) requireSources(settings)
  const { report } = await compile(settings, 'nothing')
  if (flags.json) process.stdout.write(printedJson(report))
  else process.stdout.write(formatFindings(report, lookOf(process.stdout)) + closingLine(report))
  const lacking = lackedByStandalone(settings)
  // A report of the tools, as JSON, has no place for what the project lacks.
  const output = flags.json ? process.stderr : process.stdout
  for (const { message, help } of lacking)
    output.write(`${lookOf(output).paint.yellow('warning')}: ${harmless(`${message}\n  help: ${help}`)}\n`)
  const fails = !report.ok || (flags.denyWarnings === true && tally(report).warnings + lacking.length > 0)
  return fails ? EXIT.failed : EXIT.ok
}

/** @param {import('toolgate').BuildReport} report */
const closingLine = report => `${report.ok ? `${counted(report.tools.length, 'tool')}: ` : ''}${talliedText(report)}\n`

module.exports = {
  name: 'check',
  summary: 'check the tools, write nothing',
  description:
    'Checks every tool as `build` does and prints all findings at once, and what a standalone output of Next.js would lack. The tool set is not written; TypeScript is compiled beside its sources, because the modules are checked.',
  examples: ['toolgate check', 'toolgate check --deny-warnings', "toolgate check --json | jq '.diagnostics[].code'"],
  /** @param {import('commander').Command} command */
  options: command =>
    takesSources(command)
      .option('--deny-warnings', 'fail if there are warnings')
      .option('--json', 'print the report as JSON: { ok, version, tools, diagnostics }'),
  run,
}
