// Validates a scenario against scenario.schema.json and words the findings.

import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'

const schema = JSON.parse(readFileSync(new URL('../../scenario.schema.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  strictRequired: false,
  validateSchema: false,
})

/**
 * @param {unknown} document
 * @returns {import('./error.js').Finding[]} empty if the document is valid
 */
export function schemaFindings(document) {
  const validate = ajv.compile(schema)
  if (validate(document)) return []
  return (validate.errors ?? []).map(error => ({ pointer: error.instancePath, message: messageOf(error) }))
}

/** @param {import('ajv').ErrorObject} error */
function messageOf({ keyword, params, message = keyword, parentSchema = {} }) {
  switch (keyword) {
    case 'additionalProperties': {
      const known = Object.keys(parentSchema.properties).map(name => `\`${name}\``)
      return `unknown member \`${params.additionalProperty}\`; known are ${known.join(', ')}`
    }
    case 'enum':
      return `must be one of ${params.allowedValues.map((/** @type {unknown} */ value) => `\`${value}\``).join(', ')}`
    case 'const':
      return `must be \`${JSON.stringify(params.allowedValue)}\``
    default:
      return message
  }
}
