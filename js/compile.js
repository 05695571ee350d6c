'use strict'

// The compiler as hosts use it.

const path = require('node:path')

const native = require('../native.js')
const { plainJson } = require('./plain-json.js')

const SHIPPED_TOOLS = path.join(__dirname, '..', 'tools')

/** What the compiler made, beside its report: the report of a build can be drawn as long as it lives. */
const builds = new WeakMap()

/**
 * Reads `<toolsDir>/<tool>/`, checks everything, and writes the artifact where there are no errors.
 * @param {{ toolsDir?: string, outDir?: string, modes?: string[], providers?: string[] }} [options] by default the shipped tools
 */
async function buildTools(options) {
  return (await compile(options, 'files')).report
}

/** A report as text for a terminal. */
function formatReport(report, { color = false, width = 140 } = {}) {
  const build = builds.get(report)
  if (build === undefined) throw new TypeError('formatReport() takes a report of buildTools()')
  return build.format(JSON.stringify({ color, width }))
}

/** The findings of a report alone, for commands that have their own last line. */
const drawFindings = (report, { color, width }) => builds.get(report).findings(JSON.stringify({ color, width }))

/**
 * What commands need of a build besides its report.
 * @param {object} options as `buildTools`
 * @param {'files' | 'nothing'} writing what is written where there are no errors
 * @returns {Promise<{ report: object, artifact(): object | null, handlers(): Record<string, string>,
 *   imports(): Record<string, { file: string, module: string }[]>, moduleFiles(): string[] }>} `handlers`: by tool, a digest of
 *   what its handler is made of; `imports`: by tool folder, what its handler loads; `moduleFiles`: of what schema modules are made
 */
async function compile({ toolsDir = SHIPPED_TOOLS, outDir, modes, providers } = {}, writing) {
  const folder = path.resolve(toolsDir)
  // Needs Node's worker threads: loaded for a build, not with the package.
  const { readSchemaModules } = require('./authoring/read-schema-modules.js')
  const schemaModules = await readSchemaModules(folder)
  const out = outDir === undefined ? undefined : path.resolve(outDir)
  const options = { toolsDir: folder, outDir: out, modes, providers, schemaModules, writing }
  const build = await native.buildTools(JSON.stringify(options))
  const report = JSON.parse(build.report())
  builds.set(report, build)
  return {
    report,
    artifact: () => JSON.parse(build.artifact() ?? 'null'),
    handlers: () => JSON.parse(build.handlers()),
    imports: () => JSON.parse(build.imports()),
    moduleFiles: () => build.moduleFiles(),
  }
}

/**
 * Compiles a tool's definition as others publish it: OpenAI's, Anthropic's, Gemini's or MCP's form, or
 * `{ name, description, parameters }`. What is wrong with it is in `diagnostics`; only what is no object throws.
 * @param {object} definition
 */
function compileTool(definition) {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) {
    throw new TypeError('compileTool() takes a definition: an object with `name`, `description` and `parameters`')
  }
  const { text, broken } = plainJson(definition)
  return JSON.parse(native.compileTool(text, JSON.stringify(broken)))
}

module.exports = { buildTools, compile, compileTool, drawFindings, formatReport }
