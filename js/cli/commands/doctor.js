'use strict'

// `toolgate doctor`: finds problems of the installation and the tools, with their remedies.

const { EXIT } = require('../exit.js')
const { fitted } = require('../describe/wrap.js')
const { settingsOf, takesOutput } = require('../command-settings.js')
const { harmless, lookOf, printedJson } = require('../terminal.js')

/**
 * @typedef {import('../doctor/check-result.js').CheckResult} CheckResult
 * @param {string | undefined} folder
 * @param {import('../command-settings.js').SourceFlags & { json?: boolean }} flags
 */
async function run(folder, flags) {
  const settings = settingsOf(folder, flags)
  const checks = await examine(settings)
  const isWell = checks.every(({ status }) => status !== 'problem')
  if (flags.json) process.stdout.write(printedJson({ ok: isWell, checks }))
  else process.stdout.write(checks.map(one => formatted(one, lookOf(process.stdout))).join('') + summaryLine(checks))
  return isWell ? EXIT.ok : EXIT.failed
}

/**
 * Runs all checks; without the addon the tools can't be checked.
 * @param {import('../command-settings.js').Settings} settings
 * @returns {Promise<CheckResult[]>}
 */
async function examine(settings) {
  const { compile } = require('../compiler.js')
  const { checkAddon, checkNode } = require('../doctor/check-installation.js')
  const { checkGit, checkWriting } = require('../doctor/environment.js')
  const { checkModels } = require('../doctor/check-models.js')
  const { checkStandalone } = require('../doctor/standalone.js')
  const { checkArtifact, checkFindings, checkImports, checkServices } = require('../doctor/tools.js')
  const installation = [checkNode(), ...checkAddon()]
  if (installation.some(({ status }) => status === 'problem')) return [...installation, checkWriting(settings)]
  // It needs the addon.
  const { checkServers } = require('../doctor/servers.js')
  const { checkSources } = require('../doctor/sources.js')
  const { checkAuditOf, checkStoreOf } = require('../doctor/state.js')
  const compiled = await compile(settings, 'nothing')
  return [
    ...installation,
    checkFindings(compiled, settings),
    checkArtifact(compiled, settings),
    ...checkImports(compiled),
    checkServices(compiled),
    ...checkModels(process.env),
    ...(await checkSources(settings)),
    ...(await checkStoreOf(process.env)),
    ...checkAuditOf(process.env),
    ...(await checkServers(process.env)),
    ...checkStandalone(settings),
    ...checkGit(compiled),
    checkWriting(settings),
  ]
}

/** Where messages begin, after the status. */
const INDENT = ' '.repeat(9)

/** A value of the environment must not begin a line of its own, which could pass for a result. @param {string} text */
const inOneLine = text => text.replaceAll(/[\r\n\v\f\u0085\u2028\u2029]+/g, ' ')

/** @param {CheckResult} result @param {import('../terminal.js').Look} look */
function formatted({ status, message, help }, look) {
  const { paint } = look
  const mark = { ok: paint.green, warning: paint.yellow, problem: paint.red }[status]
  const text = fitted(harmless(inOneLine(message)), look, INDENT, status.padEnd(INDENT.length))
  const lines = `${mark(status)}${text.slice(status.length)}\n`
  if (help === undefined) return lines
  return `${lines}${INDENT}${paint.dim('do:')}${fitted(harmless(help), look, `${INDENT}    `, `${INDENT}do: `).slice(INDENT.length + 3)}\n`
}

/** @param {CheckResult[]} checks */
function summaryLine(checks) {
  const problems = checks.filter(({ status }) => status === 'problem').length
  return problems === 0 ? '' : `\n${problems === 1 ? '1 problem' : `${problems} problems`}\n`
}

module.exports = {
  name: 'doctor',
  summary: 'find out why something does not work',
  description: `Checks the installation, the tools, the built tool set, and the settings of the servers in the environment, and prints what to do
about each problem. Nothing is written, no handler is run, no secret is printed.`,
  examples: [
    'toolgate doctor',
    'toolgate doctor src/tools --out dist',
    'toolgate doctor --json | jq \'.checks[] | select(.status != "ok")\'',
  ],
  /** @param {import('commander').Command} command */
  options: command =>
    takesOutput(command).option('--json', 'print { ok, checks: [{ check, status, message, help? }] } as JSON'),
  run,
}
