'use strict'

// Loads the tools for `list` and `describe`, and says why there are none. The sources are compiled, and nothing is written. If they have errors, the
// last built tool set is read.

const { readFileSync } = require('node:fs')
const path = require('node:path')

const { compile } = require('./compiler.js')
const { talliedText } = require('./counted.js')
const { CommandFailure } = require('./exit.js')
const { missingSources } = require('./command-settings.js')

/**
 * @typedef {import('../shared-types.js').ArtifactTool} ArtifactTool
 * @typedef {{ from: 'sources' | 'artifact', version: string, tools: ArtifactTool[] }} LoadedToolSet
 * @param {import('./command-settings.js').Settings} settings
 * @param {{ artifact?: string }} flags
 * @returns {Promise<LoadedToolSet>}
 */
async function loadToolSet(settings, { artifact: file }) {
  if (file !== undefined) return readToolSet(file)
  const compiled = await compile(settings, 'nothing')
  const artifact = compiled.artifact()
  if (artifact !== null) return { from: 'sources', ...listedIn(artifact) }
  const built = path.join(settings.outDir, 'tool_registry.json')
  const { found, help } = whyNotBuilt(compiled, settings)
  try {
    const last = readToolSet(built)
    process.stderr.write(`${found} (${help}); this is the last tool set that was built\n`)
    return last
  } catch {
    throw new CommandFailure(found, help)
  }
}

/**
 * Why sources give no tool set, and what to do.
 * @param {Pick<import('../tool-sets/compile.js').CompiledToolSet, 'report'>} compiled
 * @param {Pick<import('./command-settings.js').Settings, 'toolsDir' | 'sourcesDir'>} settings
 */
function whyNotBuilt({ report }, { toolsDir, sourcesDir }) {
  const missing = missingSources({ toolsDir, sourcesDir })
  if (missing !== null) return missing
  const folder = path.relative('', toolsDir) || '.'
  return { found: `the tools in \`${folder}\` have ${talliedText(report)}`, help: '`toolgate check` shows them' }
}

/** @param {string} file @returns {LoadedToolSet} @throws {CommandFailure} */
function readToolSet(file) {
  let artifact
  try {
    artifact = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause)
    const why =
      code === 'ENOENT'
        ? 'is not there'
        : code === undefined
          ? 'is no tool set: it is not JSON'
          : `can't be read (${code})`
    throw new CommandFailure(`\`${file}\` ${why}`, 'build it with `toolgate build`')
  }
  if (typeof artifact?.version !== 'string' || !Array.isArray(artifact.tools)) {
    throw new CommandFailure(`\`${file}\` is no tool set`, 'name a tool_registry.json')
  }
  return { from: 'artifact', ...listedIn(artifact) }
}

/** Without the tools that only handlers call. @param {{ version: string, tools: ArtifactTool[] }} artifact */
const listedIn = ({ version, tools }) => ({ version, tools: tools.filter(tool => tool.nestedOnly !== true) })

/** Adds the option of commands that do not need sources. @param {import('commander').Command} command */
const takesArtifact = command =>
  command.option('--artifact <file>', 'read a built tool_registry.json instead of the sources')

module.exports = { loadToolSet, readToolSet, takesArtifact, whyNotBuilt }
