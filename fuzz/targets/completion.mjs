// Defaults: a value that is valid stays valid when they are filled, and what was given is never changed.
import { SchemaValidator } from '../../index.js'
import { DRAFTS } from '../drafts.mjs'
import { withoutDefaults } from '../mutations.mjs'
import { randomSchema } from '../schemas.mjs'
import { randomValue } from '../values.mjs'

const MOST_VALUES = 24

export const name = 'completion'

/** @param {import('../random.cjs').Random} random @param {import('./index.mjs').Count} count */
export async function step(random, count) {
  const schema = randomSchema(random, random.pick(DRAFTS), { hasDefaults: true })
  return random
    .times(1, MOST_VALUES, () => randomValue(random, schema))
    .flatMap(value => {
      const fault = completionFault(schema, value)
      if (fault === null) count('kept')
      if (fault === 'refused') count('refused')
      return fault === null || fault === 'refused' ? [] : [{ case: { schema, value }, detail: fault }]
    })
}

/** @param {any} schema @param {unknown} value @returns {string | null} what is broken */
function completionFault(schema, value) {
  const validators = [schema, withoutDefaults(schema)].map(compiled)
  if (validators.includes(null)) return 'refused'
  const [completing, plain] = /** @type {SchemaValidator[]} */ (validators)
  const completed = completing.validate(value)
  const before = plain.validate(value).valid
  // A default may fill what is missing, but never break what is there.
  if (before && !completed.valid) return 'a valid value became invalid'
  return extendsValue(completed.value, value) ? null : 'a given value was changed'
}

/** @param {any} schema */
function compiled(schema) {
  try {
    return new SchemaValidator(schema, { formats: [] })
  } catch {
    return null
  }
}

/** Whether `completed` has all of `value`, and more only as members and elements at the end. @param {any} completed @param {any} value @returns {boolean} */
function extendsValue(completed, value) {
  if (typeof value !== 'object' || value === null) return Object.is(completed, value)
  if (typeof completed !== 'object' || completed === null || Array.isArray(value) !== Array.isArray(completed))
    return false
  return Object.keys(value).every(key => Object.hasOwn(completed, key) && extendsValue(completed[key], value[key]))
}
