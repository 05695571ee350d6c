// Random schemas and values: the gate's validator against two others.
import { DRAFTS } from '../drafts.mjs'
import { randomSchema } from '../schemas.mjs'
import { randomValue } from '../values.mjs'
import { compareValidators } from '../compare-validators.mjs'

const MOST_VALUES = 24

export const name = 'validation'

/** @param {import('../random.cjs').Random} random @param {import('./index.mjs').Count} count */
export async function step(random, count) {
  const draft = random.pick(DRAFTS)
  const schema = randomSchema(random, draft)
  const values = random.times(1, MOST_VALUES, () => randomValue(random, schema))
  return compareValidators({ schema, values, draft }, count)
}
