// Compares the judgements of validators about the same schema and values. Defaults are left out: the gate fills them
// before it judges, and the others do not.
import { withoutDefaults } from './mutations.mjs'
import { ORACLES } from './oracles.mjs'

/**
 * @param {{ schema: any, values: unknown[], draft: import('./drafts.mjs').Draft }} given
 * @param {import('./targets/index.mjs').Count} count
 * @returns {Promise<import('./report.mjs').Disagreement[]>}
 */
export async function compareValidators({ schema: given, values, draft }, count) {
  const schema = withoutDefaults(given)
  const validators = await compiled(schema, draft)
  const refusing = Object.keys(validators).filter(name => validators[name] === null)
  if (refusing.length === Object.keys(validators).length) {
    count('refused by all')
    return []
  }
  if (refusing.length > 0) return [{ case: { schema }, detail: { refusedBy: refusing } }]
  return values.flatMap(value => {
    const judgements = judged(validators, value)
    count(judgements.toolgate === true ? 'valid' : 'invalid')
    return isUnanimous(judgements) ? [] : [{ case: { schema, value }, detail: judgements }]
  })
}

/** @param {any} schema @param {import('./drafts.mjs').Draft} draft */
async function compiled(schema, draft) {
  const entries = Object.entries(ORACLES).map(async ([name, compile]) => [name, await compile(schema, draft)])
  return Object.fromEntries(await Promise.all(entries))
}

/** @param {Record<string, (value: unknown) => boolean>} validators @param {unknown} value @returns {Record<string, boolean | string>} */
function judged(validators, value) {
  return Object.fromEntries(Object.entries(validators).map(([name, isValid]) => [name, judgement(isValid, value)]))
}

/** @param {(value: unknown) => boolean} isValid @param {unknown} value */
function judgement(isValid, value) {
  try {
    return isValid(value)
  } catch (error) {
    return `threw ${/** @type {Error} */ (error).name}`
  }
}

/** @param {Record<string, unknown>} judgements */
const isUnanimous = judgements => new Set(Object.values(judgements)).size === 1
