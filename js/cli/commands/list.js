'use strict'

// `toolgate list`: the tools, one line each.

const { counted } = require('../counted.js')
const { declarationTokens } = require('../declaration-tokens.js')
const { confirmationOf, effectOf } = require('../effect-text.js')
const { settingsOf, takesSources } = require('../command-settings.js')
const { table } = require('../table.js')
const { harmless, lookOf, printedJson } = require('../terminal.js')
const { loadToolSet, takesArtifact } = require('../load-tool-set.js')

/**
 * @typedef {import('../../shared-types.js').ArtifactTool} ArtifactTool
 * @param {string | undefined} folder
 * @param {import('../command-settings.js').SourceFlags & { json?: boolean, tokens?: boolean, artifact?: string }} flags
 */
async function run(folder, flags) {
  const { from, version, tools } = await loadToolSet(settingsOf(folder, flags), flags)
  const tokens = flags.tokens ? declarationTokens(tools) : null
  if (flags.json) {
    const listed = tools.map(tool => ({ ...asJson(tool), ...(tokens && { tokens: tokens.byTool.get(tool.toolId) }) }))
    process.stdout.write(printedJson({ from, version, ...(tokens && { tokens: tokens.sums }), tools: listed }))
    return
  }
  const heading = ['TOOL', 'CATEGORY', 'EFFECT', 'MODES', 'CONFIRMATION', 'VERSION']
  const rows = tokens === null ? [heading, ...tools.map(asRow)] : tokenRows(tokens)
  process.stdout.write(table(rows, lookOf(process.stdout)))
  process.stdout.write(`\n${counted(tools.length, 'tool')}, version ${version}\n`)
  if (tokens !== null) process.stdout.write('Estimated tokens of each declaration: bytes of its compact JSON / 4\n')
}

/** @param {ReturnType<typeof declarationTokens>} tokens */
function tokenRows({ providers, byTool, sums }) {
  /** @param {string} title @param {Record<string, number | null>} tokens */
  const row = (title, tokens) => [harmless(title), ...providers.map(provider => String(tokens[provider] ?? '–'))]
  const rows = [...byTool].map(([toolId, tokens]) => row(toolId, tokens))
  return [['TOOL', ...providers], ...rows, row('(sum)', sums)]
}

/** @param {ArtifactTool} tool */
const asRow = tool =>
  [tool.toolId, tool.category, effectOf(tool), tool.allowedModes.join(', '), confirmationOf(tool), tool.version].map(
    harmless,
  )

/** @param {ArtifactTool} tool */
const asJson = ({
  toolId,
  title,
  version,
  category,
  sideEffects,
  idempotent,
  requiresConfirmation,
  allowedModes,
  requires,
  summary,
}) => ({
  toolId,
  title,
  version,
  category,
  sideEffects,
  idempotent,
  requiresConfirmation,
  allowedModes,
  requires: requires ?? [],
  summary,
})

module.exports = {
  name: 'list',
  summary: 'list the tools',
  description: `Lists the tools with the properties that decide how their calls are treated. The sources are read, nothing is written; if they
have errors, the last built tool set is listed.`,
  examples: [
    'toolgate list',
    'toolgate list --artifact dist/tool_registry.json',
    'toolgate list --tokens',
    "toolgate list --json | jq -r '.tools[].toolId'",
  ],
  /** @param {import('commander').Command} command */
  options: command =>
    takesArtifact(takesSources(command))
      .option('--tokens', "list the estimated tokens of each provider's declarations instead")
      .option('--json', 'print { from, version, tools } as JSON'),
  run,
}
