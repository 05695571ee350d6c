'use strict'

// `toolgate list`: the tools, one line each.

const { counted } = require('../counted.js')
const { confirmationOf, effectOf } = require('../effect.js')
const { settingsOf, takesSources } = require('../settings.js')
const { table } = require('../table.js')
const { harmless, lookOf, printedJson } = require('../terminal.js')
const { loadToolSet, takesArtifact } = require('../tool-set.js')

/** @param {{ json?: boolean, artifact?: string }} flags */
async function run(folder, flags) {
  const { from, version, tools } = await loadToolSet(settingsOf(folder, flags), flags)
  if (flags.json) {
    process.stdout.write(printedJson({ from, version, tools: tools.map(asJson) }))
    return
  }
  const heading = ['TOOL', 'CATEGORY', 'EFFECT', 'MODES', 'CONFIRMATION', 'VERSION']
  process.stdout.write(table([heading, ...tools.map(asRow)], lookOf(process.stdout)))
  process.stdout.write(`\n${counted(tools.length, 'tool')}, version ${version}\n`)
}

const asRow = tool =>
  [tool.toolId, tool.category, effectOf(tool), tool.allowedModes.join(', '), confirmationOf(tool), tool.version].map(
    harmless,
  )

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
  description: `Lists the tools with what decides how a call of theirs is treated. The sources are read, nothing is written; where they
have errors, the last built tool set is listed.`,
  examples: [
    'toolgate list',
    'toolgate list --artifact dist/tool_registry.json',
    "toolgate list --json | jq -r '.tools[].toolId'",
  ],
  options: command => takesArtifact(takesSources(command)).option('--json', 'print { from, version, tools } as JSON'),
  run,
}
