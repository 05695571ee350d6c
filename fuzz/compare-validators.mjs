// Compares the judgements of validators about the same schema and values. Defaults are left out: the gate fills them
// before it judges, and the others do not.
import { withoutDefaults } from './mutations.mjs'
import { ORACLES } from './oracles.mjs'

/**
 * @param {{ schema: any, values: unknown[], draft: import('./drafts.mjs').Draft }} given
 * @param {import('./report.mjs').Report} report
 */
export async function compareValidators({ schema: given, values, draft }, report) {
  const schema = withoutDefaults(given)
  const validators = await compiled(schema, draft)
  const refusing = Object.keys(validators).filter(name => validators[name] === null)
  if (refusing.length === Object.keys(validators).length) return report.count('refused by all')
  if (refusing.length > 0) {
    await report.disagreement({ schema }, candidate => differsInRefusal(candidate, draft, refusing), {
      refusedBy: refusing,
    })
    return
  }
  for (const value of values) {
    const judgements = judged(validators, value)
    report.count(judgements.toolgate === true ? 'valid' : 'invalid')
    if (isUnanimous(judgements)) continue
    await report.disagreement({ schema, value }, candidate => differsAlike(candidate, draft, judgements), judgements)
  }
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

/** @param {any} schema @param {import('./drafts.mjs').Draft} draft @param {string[]} refusing */
async function differsInRefusal({ schema }, draft, refusing) {
  const validators = await compiled(schema, draft)
  return Object.keys(validators).every(name => (validators[name] === null) === refusing.includes(name))
}

/** @param {any} candidate @param {import('./drafts.mjs').Draft} draft @param {Record<string, unknown>} judgements */
async function differsAlike({ schema, value }, draft, judgements) {
  const validators = await compiled(schema, draft)
  if (Object.values(validators).includes(null)) return false
  const now = judged(validators, value)
  return Object.keys(judgements).every(name => now[name] === judgements[name])
}
