'use strict'

// The tools and what is built of them: findings, the tool set's age, what handlers load, what they need of the host.

const { existsSync } = require('node:fs')
const { createRequire, isBuiltin } = require('node:module')
const path = require('node:path')

const { counted, tally, talliedText } = require('../counted.js')
const { readToolSet } = require('../tool-set.js')
const { ok, problem, warning } = require('./verdict.js')

const OUTPUTS = ['tool_registry.json', 'tool_registry.d.ts', 'handlers.mjs']

/** @param {{ report: object }} compiled */
function checkFindings({ report }, { toolsDir }) {
  const { errors, warnings } = tally(report)
  if (errors > 0)
    return problem(
      'tools',
      `the tools in \`${shown(toolsDir)}\` have ${talliedText(report)}`,
      '`toolgate check` shows them',
    )
  if (warnings > 0)
    return warning(
      'tools',
      `${counted(report.tools.length, 'tool')} in \`${shown(toolsDir)}\`, ${talliedText(report)}`,
      '`toolgate check` shows them',
    )
  return ok('tools', `${counted(report.tools.length, 'tool')} in \`${shown(toolsDir)}\`, no findings`)
}

/** Whether what a registry loads is what the sources say. */
function checkArtifact({ report }, { outDir }) {
  const file = path.join(outDir, OUTPUTS[0])
  let built
  try {
    built = readToolSet(file)
  } catch (cause) {
    return problem('artifact', cause.message, 'build it: `toolgate build`')
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

/** Handlers are not run: what they load is read from their text. */
function checkImports(compiled) {
  const missing = Object.entries(compiled.imports()).flatMap(([folder, imports]) =>
    imports.filter(one => !isThere(one)).map(({ file, module }) => ({ folder, file, module })),
  )
  if (missing.length === 0) return [ok('handlers', 'everything that handlers load is there')]
  return missing.map(({ folder, file, module }) =>
    problem(
      'handlers',
      `\`${folder}/${path.basename(file)}\` loads \`${module}\`, which is not there`,
      module.startsWith('.') ? 'correct the path, or add the file' : `install it: \`npm install ${packageOf(module)}\``,
    ),
  )
}

function isThere({ file, module }) {
  if (isBuiltin(module) || module.startsWith('#') || /^[a-z]+:/.test(module)) return true
  try {
    createRequire(file).resolve(module)
    return true
  } catch {
    // An ES module need not be there for `require`.
    return !module.startsWith('.') && isInstalled(packageOf(module), path.dirname(file))
  }
}

function isInstalled(name, folder) {
  for (let home = folder; ; home = path.dirname(home)) {
    if (existsSync(path.join(home, 'node_modules', name))) return true
    if (home === path.dirname(home)) return false
  }
}

const packageOf = module =>
  module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/')

/** Which services there are, only the host knows. */
function checkServices(compiled) {
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

const shown = folder => path.relative('', folder) || '.'

module.exports = { checkArtifact, checkFindings, checkImports, checkServices }
