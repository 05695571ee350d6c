// Checks a scenario against scenario.schema.json and says in words what is wrong.

import { readFileSync } from 'node:fs'
import Ajv2020 from 'ajv/dist/2020.js'

const schema = JSON.parse(readFileSync(new URL('../../scenario.schema.json', import.meta.url), 'utf8'))
const validate = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true, strictRequired: false }).compile(
  schema,
)

/**
 * @param {unknown} document
 * @returns {import('./error.js').Finding[]} empty when the document fits
 */
export function schemaFindings(document) {
  if (validate(document)) return []
  return validate.errors.map(error => ({ pointer: error.instancePath, message: messageOf(error) }))
}

function messageOf({ keyword, params, message, parentSchema }) {
  switch (keyword) {
    case 'additionalProperties': {
      const known = Object.keys(parentSchema.properties).map(name => `\`${name}\``)
      return `unknown member \`${params.additionalProperty}\`; known are ${known.join(', ')}`
    }
    case 'enum':
      return `must be one of ${params.allowedValues.map(value => `\`${value}\``).join(', ')}`
    case 'const':
      return `must be \`${JSON.stringify(params.allowedValue)}\``
    default:
      return message
  }
}
