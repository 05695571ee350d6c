// The gate against `SchemaValidator`: the same schema takes and refuses the same arguments, through a whole call.
import { SchemaValidator } from '../../index.js'
import { randomTool, withRegistry } from '../registry.mjs'
import { randomValue } from '../values.mjs'

const MOST_TOOLS = 50
const MOST_VALUES = 16

export const name = 'gate'

/** @param {import('../random.cjs').Random} random @param {import('./index.mjs').Count} count */
export async function step(random, count) {
  const schemas = random
    .times(1, MOST_TOOLS, () => randomTool(random)?.jsonSchema)
    .filter(schema => schema !== undefined)
  /** @type {import('../report.mjs').Disagreement[]} */
  const found = []
  await withRegistry(schemas, async registry => {
    for (const [index, schema] of schemas.entries()) {
      const validator = new SchemaValidator(schema, { formats: [] })
      for (const args of random.times(1, MOST_VALUES, () => randomValue(random, schema)).filter(isArguments)) {
        const fault = await difference(registry, `tool_${index}`, validator, args)
        count(fault === null ? 'same' : 'different')
        if (fault !== null) found.push({ case: { schema, value: args }, detail: fault })
      }
    }
  })
  return found
}

/** Null stands for "absent" in a call, so values that hold one are compared by the target `completion` only. @param {unknown} value */
const isArguments = value =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.stringify(value).includes('null')

/** @param {any} registry @param {string} tool @param {SchemaValidator} validator @param {any} args */
async function difference(registry, tool, validator, args) {
  const { valid, value, errors } = validator.validate(args)
  const answer = await registry.executeTool(tool, { args })
  if (answer.ok !== valid)
    return `the validator says ${valid}, the gate ${answer.ok ? 'ran it' : `answers ${answer.error.message}`}`
  if (valid && JSON.stringify(answer.data) !== JSON.stringify(value))
    return 'the handler got other arguments than the validator returns'
  if (!valid && answer.error.type !== 'VALIDATION') return `answered ${answer.error.type}: ${answer.error.message}`
  if (!valid && answer.error.details.length !== errors.length)
    return `${errors.length} and ${answer.error.details.length} issues`
  return null
}
