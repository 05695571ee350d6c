// Declarations: what a strict model may send by its declaration is valid for the gate, or the receipt says what is lost.
import Ajv2020 from 'ajv/dist/2020.js'

import { randomTool, withRegistry } from '../registry.mjs'
import { randomValue } from '../values.mjs'

const TOOLS = 25
const VALUES = 8
const Ajv = Ajv2020.default ?? Ajv2020

export const name = 'lowering'

/** @param {import('../random.mjs').Random} random @param {import('../report.mjs').Report} report */
export async function step(random, report) {
  const tools = random.times(TOOLS, TOOLS, () => randomTool(random)).filter(tool => strictSchema(tool) !== null)
  await withRegistry(
    tools.map(tool => tool?.jsonSchema),
    async registry => {
      for (const [index, tool] of tools.entries())
        await checkTool(random, report, { registry, tool, toolId: `tool_${index}` })
    },
  )
}

/** @param {import('../random.mjs').Random} random @param {import('../report.mjs').Report} report @param {any} given */
async function checkTool(random, report, { registry, tool, toolId }) {
  const declared = strictSchema(tool)
  const isDeclared = new Ajv({ strict: false, validateFormats: false, logger: false }).compile(declared)
  const hasReceipt = (tool.lowering.openaiStrict ?? []).length > 0
  for (const args of random
    .times(VALUES, VALUES, () => randomValue(random, declared))
    .filter(value => isDeclared(value))) {
    const answer = await registry.executeTool(toolId, { args })
    if (answer.ok) report.count('valid')
    else if (hasReceipt) report.count('refused, with a receipt')
    else
      await report.disagreement({ schema: tool.jsonSchema, declared, value: args }, () => false, answer.error.message)
  }
}

/** The parameters of the tool's strict declaration; null if it has none. @param {any} tool */
function strictSchema(tool) {
  const declaration = tool?.providerSchemas.openaiStrict?.function
  return declaration?.strict === true ? declaration.parameters : null
}
