'use strict'

// The compiler's JavaScript API.

const { existsSync, readdirSync, statSync } = require('node:fs')
const path = require('node:path')

const native = require('../../native.js')
const { authorFindings } = require('../authoring/author-findings.js')
const { ReportText, withFindings } = require('../authoring/report-text.js')
const { plainJson } = require('../values/plain-json.js')
const { checkModeNames } = require('./registry-modes.js')
const { projectSources } = require('./project-artifact.js')
const { usedProviders } = require('./used-providers.js')

/** Of a folder that does not exist. @type {ReturnType<typeof import('../sources/source-facts.js').sourceFacts>} */
const NO_FACTS = { policies: {}, problems: [] }

/** Report → its build, for formatting. @type {WeakMap<object, import('../../native.js').NativeBuild | ReportText>} */
const builds = new WeakMap()

/**
 * Checks every `<toolsDir>/<tool>/` and writes the artifact if there are no errors.
 * @param {BuildOptions} [options] by default the project's tools
 */
async function buildTools(options) {
  return (await compile(options, 'files')).report
}

/**
 * Formats a report for a terminal.
 * @param {import('../../index.js').BuildReport} report
 * @param {{ color?: boolean, width?: number }} [style]
 */
function formatReport(report, { color = false, width = 140 } = {}) {
  const build = builds.get(report)
  if (build === undefined) throw new TypeError('formatReport() takes a report of buildTools()')
  return build.format(JSON.stringify({ color, width }))
}

/**
 * Formats only the findings of a report, for commands with their own last line.
 * @param {import('../../index.js').BuildReport} report
 * @param {{ color: boolean, width: number }} style
 */
const formatFindings = (report, { color, width }) =>
  /** @type {import('../../native.js').NativeBuild | ReportText} */ (builds.get(report)).findings(
    JSON.stringify({ color, width }),
  )

/**
 * Builds a tool set; returns its report and the other results that commands need.
 * @typedef {{ toolsDir?: string, outDir?: string, sourcesDir?: string, modes?: string[], providers?: string[],
 *   services?: string[] }} BuildOptions
 * @typedef {{ report: import('../../index.js').BuildReport, artifact(): import('../shared-types.js').Artifact | null,
 *   handlers(): Record<string, string>, imports(): Record<string, { file: string, module: string }[]>,
 *   moduleFiles(): string[] }} CompiledToolSet `handlers`: by tool, a digest of its handler's sources; `imports`: by
 *   tool folder, the handler's imports; `moduleFiles`: the source files of schema modules
 * @param {BuildOptions | undefined} given as `buildTools`
 * @param {'files' | 'nothing'} writing what is written if there are no errors
 * @returns {Promise<CompiledToolSet>}
 */
async function compile(given, writing) {
  const { toolsDir, outDir, sourcesDir, modes, providers, services } =
    given?.toolsDir === undefined ? overlaid(projectSources(), given) : { ...given, toolsDir: given.toolsDir }
  checkModeNames(modes)
  const folder = path.resolve(toolsDir)
  // Loaded for a build only: it needs worker threads.
  const { readSchemaModules } = require('../authoring/read-schema-modules.js')
  const { modulesOf, prepareSources, writeGuides } = require('../authoring/tool-sources.js')
  const { sources, findings, oneFile } = await prepareSources(folder)
  const schemaModules = await readSchemaModules(folder, { oneFile: modulesOf(oneFile) })
  await writeGuides(folder, oneFile, schemaModules)
  const out = outDir === undefined ? undefined : path.resolve(outDir)
  const failed = findings.length > 0
  const options = {
    toolsDir: folder,
    outDir: out,
    sources: sourcesOf(sourcesDir),
    modes,
    providers: providers ?? usedProviders(folder),
    services,
    schemaModules,
    writing: failed ? 'nothing' : writing,
  }
  const build = await native.buildTools(JSON.stringify(options))
  const compiled = JSON.parse(build.report())
  const { diagnostics, texts, changed } = await authorFindings(compiled.diagnostics, folder, oneFile)
  const report = failed ? withFindings({ ...compiled, diagnostics }, findings) : { ...compiled, diagnostics }
  builds.set(report, failed || changed ? new ReportText(report, texts, failed ? null : build) : build)
  return {
    report,
    artifact: () => (failed ? null : JSON.parse(build.artifact() ?? 'null')),
    handlers: () => JSON.parse(build.handlers()),
    imports: () => JSON.parse(build.imports()),
    moduleFiles: () => [...build.moduleFiles(), ...sources, ...filesOf(options.sources?.dir)],
  }
}

/** The lock, and the files of a folder of sources. @param {string | undefined} folder which may not exist */
function filesOf(folder) {
  if (folder === undefined || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const files = readdirSync(folder).filter(name => name.endsWith('.json'))
  return [path.join(path.dirname(folder), 'toolgate.lock.json'), ...files.map(name => path.join(folder, name))]
}

/** @param {string | undefined} folder which may not exist */
function sourcesOf(folder) {
  if (folder === undefined) return undefined
  const dir = path.resolve(folder)
  const { policies, problems } = existsSync(dir) ? require('../sources/source-facts.js').sourceFacts(dir) : NO_FACTS
  return { dir, policies, problems: problems.map(({ file, ...rest }) => ({ file: path.basename(file), ...rest })) }
}

/**
 * @param {BuildOptions & { toolsDir: string }} found the project's
 * @param {BuildOptions | undefined} given
 * @returns {BuildOptions & { toolsDir: string }}
 */
const overlaid = (found, given = {}) => ({
  ...found,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
})

/**
 * Compiles a tool definition in OpenAI's, Anthropic's, Gemini's or MCP's form, or `{ name, description, parameters }`.
 * Its faults are in `diagnostics`.
 * @param {import('../../index.js').ForeignTool} definition
 * @returns {import('../../index.js').CompiledTool}
 * @throws {TypeError} if `definition` is not an object
 */
function compileTool(definition) {
  const { text, broken } = definitionText(definition, 'compileTool')
  return JSON.parse(native.compileTool(text, broken))
}

/**
 * As `compileTool`, without blocking the event loop: the definition is read before the call returns, and compiled on
 * another thread.
 * @param {import('../../index.js').ForeignTool} definition
 * @returns {Promise<import('../../index.js').CompiledTool>}
 * @throws {TypeError} as a rejection, if `definition` is not an object
 */
async function compileToolAsync(definition) {
  const { text, broken } = definitionText(definition, 'compileToolAsync')
  return JSON.parse(await native.compileToolAsync(text, broken))
}

/**
 * The definition as the core reads it.
 * @param {import('../../index.js').ForeignTool} definition
 * @param {string} caller the function that takes it
 */
function definitionText(definition, caller) {
  if (Array.isArray(definition)) throw new TypeError(`${caller}() takes one definition: pass each of the list`)
  if (typeof definition !== 'object' || definition === null) {
    throw new TypeError(`${caller}() takes a definition: an object with \`name\`, \`description\` and \`parameters\``)
  }
  const { text, broken } = plainJson(definition)
  return { text, broken: JSON.stringify(broken) }
}

module.exports = { buildTools, compile, compileTool, compileToolAsync, formatFindings, formatReport }
