'use strict'

// Checks of the tools: findings, whether the artifact is up to date, imports of handlers, required services.

const { existsSync } = require('node:fs')
const { createRequire, isBuiltin } = require('node:module')
const path = require('node:path')

const { packageOf } = require('../../operations/source-imports.js')
const { counted, tally, talliedText } = require('../counted.js')
const { readToolSet, whyNotBuilt } = require('../load-tool-set.js')
const { ok, problem, warning } = require('./check-result.js')

const OUTPUTS = ['tool_registry.json', 'tool_registry.d.ts', 'handlers.mjs']

/**
 * @typedef {import('../../tool-sets/compile.js').CompiledToolSet} CompiledToolSet
 * @typedef {import('../command-settings.js').Settings} Settings
 * @typedef {{ file: string, module: string }} HandlerImport
 */

/** @param {Pick<CompiledToolSet, 'report'>} compiled @param {Pick<Settings, 'toolsDir' | 'sourcesDir'>} settings */
function checkFindings({ report }, settings) {
  const { toolsDir } = settings
  const { errors, warnings } = tally(report)
  if (errors > 0) {
    const { found, help } = whyNotBuilt({ report }, settings)
    return problem('tools', found, help)
  }
  if (warnings > 0)
    return warning(
      'tools',
      `${counted(report.tools.length, 'tool')} in \`${shown(toolsDir)}\`, ${talliedText(report)}`,
      '`toolgate check` shows them',
    )
  return ok('tools', `${counted(report.tools.length, 'tool')} in \`${shown(toolsDir)}\`, no findings`)
}

/**
 * Whether the artifact matches the sources.
 * @param {Pick<CompiledToolSet, 'report'>} compiled
 * @param {Pick<Settings, 'outDir'>} settings
 */
function checkArtifact({ report }, { outDir }) {
  const file = path.join(outDir, OUTPUTS[0])
  let built
  try {
    built = readToolSet(file)
  } catch (cause) {
    return problem('artifact', /** @type {Error} */ (cause).message, 'build it: `toolgate build`')
  }
  const absent = OUTPUTS.filter(name => !existsSync(path.join(outDir, name)))
  if (absent.length > 0)
    return problem(
      'artifact',
      `${absent.map(name => `\`${name}\``).join(', ')} missing beside it`,
      'build it again: `toolgate build`',
    )
  if (report.version === null)
    return warning(
      'artifact',
      `the tool set has version ${built.version}; the sources have errors`,
      'correct them, then build it again',
    )
  if (report.version !== built.version) {
    return problem(
      'artifact',
      `the tool set is out of date: it has version ${built.version}, the sources ${report.version}`,
      'build it again: `toolgate build`',
    )
  }
  return ok('artifact', `the tool set is up to date, version ${built.version}`)
}

/**
 * Imports are read from the handlers' source text; handlers are not run.
 * @param {Pick<CompiledToolSet, 'imports'>} compiled
 */
function checkImports(compiled) {
  const missing = Object.entries(compiled.imports()).flatMap(([folder, imports]) =>
    imports.filter(one => !resolves(one)).map(({ file, module }) => ({ folder, file, module })),
  )
  if (missing.length === 0) return [ok('handlers', 'all imports of handlers resolve')]
  return missing.map(({ folder, file, module }) =>
    problem(
      'handlers',
      `\`${folder}/${path.basename(file)}\` loads \`${module}\`, which is not there`,
      module.startsWith('.') ? 'correct the path, or add the file' : `install it: \`npm install ${packageOf(module)}\``,
    ),
  )
}

/** @param {HandlerImport} handlerImport */
function resolves({ file, module }) {
  if (isBuiltin(module) || module.startsWith('#') || /^[a-z]+:/.test(module)) return true
  try {
    createRequire(file).resolve(module)
    return true
  } catch {
    // An ES module need not be visible to `require`.
    return !module.startsWith('.') && isInstalled(packageOf(module), path.dirname(file))
  }
}

/** @param {string} name @param {string} folder */
function isInstalled(name, folder) {
  for (let home = folder; ; home = path.dirname(home)) {
    if (existsSync(path.join(home, 'node_modules', name))) return true
    if (home === path.dirname(home)) return false
  }
}

/**
 * Lists the required services; only the host knows which are registered.
 * @param {Pick<CompiledToolSet, 'artifact'>} compiled
 */
function checkServices(compiled) {
  /** @type {Map<string, string[]>} */
  const needed = new Map()
  for (const { toolId, requires } of compiled.artifact()?.tools ?? []) {
    for (const service of requires ?? []) needed.set(service, [...(needed.get(service) ?? []), toolId])
  }
  if (needed.size === 0) return ok('services', 'no tool needs a service of the host')
  const list = [...needed]
    .sort()
    .map(([service, tools]) => `\`${service}\` (${tools.join(', ')})`)
    .join(', ')
  return ok('services', `the host must register ${list}; a tool without its service is hidden`)
}

/** @param {string} folder */
const shown = folder => path.relative('', folder) || '.'

module.exports = { checkArtifact, checkFindings, checkImports, checkServices }
