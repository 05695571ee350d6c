'use strict'

// `toolgate describe <tool>`: shows one tool, or a provider's declaration of it.

const { UsageError } = require('../exit.js')
const { settingsOf } = require('../command-settings.js')
const { nearest, suggestion } = require('../../tool-sets/suggest.js')
const { lookOf, printedJson } = require('../terminal.js')
const { loadToolSet, takesArtifact } = require('../load-tool-set.js')

/**
 * @typedef {import('../../shared-types.js').ArtifactTool} ArtifactTool
 * @param {string} name
 * @param {{ tools?: string, artifact?: string, provider?: string, json?: boolean }} flags
 */
async function run(name, flags) {
  const { describeDeclaration } = require('../describe/declaration.js')
  const { describeTool } = require('../describe/tool.js')
  const { from, version, tools } = await loadToolSet(settingsOf(undefined, flags), flags)
  const tool = toolNamed(name, tools)
  const asked = flags.provider === undefined ? null : declared(tool, providerNamed(flags.provider, tool))
  if (flags.json) return print({ from, version, ...(asked ?? { tool }) })
  const look = lookOf(process.stdout)
  process.stdout.write(asked === null ? describeTool(tool, look) : describeDeclaration(asked, look))
}

/**
 * Finds a tool by its id or its folder's name, which may contain `-`.
 * @param {string} name
 * @param {ArtifactTool[]} tools
 */
function toolNamed(name, tools) {
  const id = name.replaceAll('-', '_')
  const tool = tools.find(({ toolId }) => toolId === id)
  if (tool !== undefined) return tool
  const near = nearest(
    id,
    tools.map(({ toolId }) => toolId),
  )
  throw new UsageError(
    `there is no tool \`${name}\``,
    near === null ? 'see `toolgate list`' : `did you mean \`${near}\`?`,
  )
}

/**
 * Known providers are those with a declaration or a receipt: a tool that can't be declared has only a receipt. A family, such as
 * `gemini`, means its first form.
 * @param {string} provider
 * @param {ArtifactTool} tool
 */
function providerNamed(provider, { providerSchemas, lowering }) {
  const { formsOf } = require('../../tool-sets/provider-forms.js')
  const known = [...new Set([...Object.keys(providerSchemas), ...Object.keys(lowering)])].sort()
  const meant = [provider, ...formsOf(provider)].find(name => known.includes(name))
  if (meant === undefined) throw new UsageError(`there is no provider \`${provider}\``, suggestion(provider, known))
  return meant
}

/** @param {ArtifactTool} tool @param {string} provider */
const declared = ({ toolId, providerSchemas, lowering }, provider) => ({
  toolId,
  provider,
  declaration: providerSchemas[provider] ?? null,
  lowering: lowering[provider] ?? [],
})

/** @param {unknown} value */
const print = value => {
  process.stdout.write(printedJson(value))
}

module.exports = {
  name: 'describe',
  summary: 'show one tool',
  description: `Shows a tool: its policy, its parameters and its guide; with --provider the declaration that a provider gets, and a
receipt of what it changes or loses.`,
  examples: [
    'toolgate describe kb_search',
    'toolgate describe kb_search --provider geminiNative',
    'toolgate describe kb_search --json',
  ],
  /** @param {import('commander').Command} command */
  options: command =>
    takesArtifact(
      command
        .argument('<tool>', 'its toolId, or the name of its folder')
        .option('--tools <folder>', 'the tools folder (default: `tools`)'),
    )
      .option('--provider <name>', "show a provider's declaration and its receipt")
      .option(
        '--json',
        'print { from, version, tool } as JSON; with --provider { from, version, toolId, provider, declaration, lowering }',
      ),
  run,
}
