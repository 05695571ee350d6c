// Schemas of real tools with small changes, and values near them: the gate's validator against two others.
import { compareValidators } from '../compare-validators.mjs'
import { realSchemas } from '../corpus.mjs'
import { draftOf } from '../drafts.mjs'
import { mutated } from '../mutations.mjs'
import { randomValue } from '../values.mjs'

const MOST_VALUES = 12
/** Larger schemas take the others too long. */
const MAX_BYTES = 20_000

export const name = 'real-schemas'

export async function open() {
  return realSchemas().filter(schema => draftOf(schema) !== undefined && JSON.stringify(schema).length < MAX_BYTES)
}

/** @param {import('../random.cjs').Random} random @param {import('./index.mjs').Count} count @param {any[]} schemas */
export async function step(random, count, schemas) {
  const schema = mutated(random, random.pick(schemas))
  const draft = /** @type {import('../drafts.mjs').Draft} */ (draftOf(schema))
  const values = random.times(1, MOST_VALUES, () => randomValue(random, schema))
  return compareValidators({ schema, values, draft }, count)
}
