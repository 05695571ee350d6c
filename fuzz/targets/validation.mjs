// Random schemas and values: the gate's validator against two others.
import { DRAFTS } from '../drafts.mjs'
import { randomSchema } from '../schemas.mjs'
import { randomValue } from '../values.mjs'
import { compareValidators } from '../compare-validators.mjs'

const VALUES = 12

export const name = 'validation'

/** @param {import('../random.mjs').Random} random @param {import('../report.mjs').Report} report */
export async function step(random, report) {
  const draft = random.pick(DRAFTS)
  const schema = randomSchema(random, draft)
  const values = random.times(VALUES, VALUES, () => randomValue(random, schema))
  await compareValidators({ schema, values, draft }, report)
}
