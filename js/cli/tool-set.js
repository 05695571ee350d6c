'use strict'

// The tools that `list` and `describe` speak of. The sources are the truth: they are compiled, nothing is written. Where they
// have errors, the last built tool set is what there is.

const { readFileSync } = require('node:fs')
const path = require('node:path')

const { compile } = require('./compiler.js')
const { talliedText } = require('./counted.js')
const { CommandFailure } = require('./exit.js')

/**
 * @typedef {{ from: 'sources' | 'artifact', version: string, tools: object[] }} ToolSet `tools` as in tool_registry.json
 * @param {object} settings as `settingsOf` gives them
 * @param {{ artifact?: string }} flags
 * @returns {Promise<ToolSet>}
 */
async function loadToolSet(settings, { artifact: file }) {
  if (file !== undefined) return readToolSet(file)
  const compiled = await compile(settings, 'nothing')
  const { version, tools } = compiled.artifact() ?? {}
  if (version !== undefined) return { from: 'sources', version, tools }
  const built = path.join(settings.outDir, 'tool_registry.json')
  const found = talliedText(compiled.report)
  try {
    const last = readToolSet(built)
    process.stderr.write(`the tools have ${found} (see \`toolgate check\`); this is the last tool set that was built\n`)
    return last
  } catch {
    throw new CommandFailure(`the tools have ${found}`, 'see `toolgate check`')
  }
}

/** @returns {ToolSet} @throws {CommandFailure} */
function readToolSet(file) {
  let artifact
  try {
    artifact = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    const why =
      cause.code === 'ENOENT'
        ? 'is not there'
        : cause.code === undefined
          ? 'is no tool set: it is not JSON'
          : `can't be read (${cause.code})`
    throw new CommandFailure(`\`${file}\` ${why}`, 'build it with `toolgate build`')
  }
  if (typeof artifact?.version !== 'string' || !Array.isArray(artifact.tools)) {
    throw new CommandFailure(`\`${file}\` is no tool set`, 'name a tool_registry.json')
  }
  return { from: 'artifact', version: artifact.version, tools: artifact.tools }
}

/** The option of commands that can do without sources. @param {import('commander').Command} command */
const takesArtifact = command =>
  command.option('--artifact <file>', 'read a built tool_registry.json instead of the sources')

module.exports = { loadToolSet, readToolSet, takesArtifact }
