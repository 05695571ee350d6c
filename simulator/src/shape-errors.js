// Messages of clients against the JSON Schemas of their protocols.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { toolSchema } from './tool-schema.js'

// The schemas are the simulator's own: checking them against their metaschema at each start would take longer than the start.
const ajv = new Ajv2020({
  verbose: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  validateSchema: false,
})
ajv.addSchema(toolSchema)

/**
 * Checks a value. A schema is compiled when the first value is checked against it.
 *
 * @param {import('ajv').SchemaObject} schema the same object at each call
 * @param {unknown} value
 * @returns {import('ajv').ErrorObject[] | null} what is wrong, the first error only; null if the value fits
 */
export function shapeErrors(schema, value) {
  const validate = ajv.compile(schema)
  return validate(value) ? null : /** @type {import('ajv').ErrorObject[]} */ (validate.errors)
}
