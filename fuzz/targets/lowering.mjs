// Declarations: what a strict model may send by its declaration is valid for the gate, or the receipt says what is lost.
import Ajv2020 from 'ajv/dist/2020.js'

import { randomTool, withRegistry } from '../registry.mjs'
import { randomValue } from '../values.mjs'

const MOST_TOOLS = 50
const MOST_VALUES = 16
const Ajv = Ajv2020.default ?? Ajv2020

export const name = 'lowering'

/** @param {import('../random.cjs').Random} random @param {import('./index.mjs').Count} count */
export async function step(random, count) {
  const tools = random.times(1, MOST_TOOLS, () => randomTool(random)).filter(tool => strictSchema(tool) !== null)
  /** @type {import('../report.mjs').Disagreement[]} */
  const found = []
  await withRegistry(
    tools.map(tool => tool?.jsonSchema),
    async registry => {
      for (const [index, tool] of tools.entries())
        found.push(...(await checkTool(random, count, { registry, tool, toolId: `tool_${index}` })))
    },
  )
  return found
}

/** @param {import('../random.cjs').Random} random @param {import('./index.mjs').Count} count @param {any} given */
async function checkTool(random, count, { registry, tool, toolId }) {
  const declared = strictSchema(tool)
  const isDeclared = new Ajv({ strict: false, validateFormats: false, logger: false }).compile(declared)
  const hasReceipt = (tool.lowering.openaiStrict ?? []).length > 0
  const found = []
  for (const args of random
    .times(1, MOST_VALUES, () => randomValue(random, declared))
    .filter(value => isDeclared(value))) {
    const answer = await registry.executeTool(toolId, { args })
    if (answer.ok) count('valid')
    else if (hasReceipt) count('refused, with a receipt')
    else found.push({ case: { schema: tool.jsonSchema, declared, value: args }, detail: answer.error.message })
  }
  return found
}

/** The parameters of the tool's strict declaration; null if it has none. @param {any} tool */
function strictSchema(tool) {
  const declaration = tool?.providerSchemas.openaiStrict?.function
  return declaration?.strict === true ? declaration.parameters : null
}
