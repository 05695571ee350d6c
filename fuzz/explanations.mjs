// The one table of disagreements that are right as they are, each with its reason.

/**
 * @typedef {object} Explanation
 * @property {string} name
 * @property {string} reason
 * @property {(target: string, found: any, detail: any) => boolean} matches on a minimised case
 * @property {boolean} [isCertain] it needs no minimised case
 */

/** Whether a schema uses a keyword anywhere. @param {any} schema @param {string} keyword @returns {boolean} */
function uses(schema, keyword) {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.hasOwn(schema, keyword) || Object.values(schema).some(inner => uses(inner, keyword))
}

/** Only Ajv judges otherwise. @param {any} detail */
const onlyAjv = detail => detail.toolgate === detail.hyperjump && detail.toolgate !== detail.ajv
/** @param {any} value */
const text = value => JSON.stringify(value) ?? ''

/** @type {Explanation[]} */
export const EXPLANATIONS = [
  {
    name: 'hyperjump-root-reference',
    reason: 'before 2019-09, Hyperjump ignores the definitions beside a `$ref` that refers to them',
    matches: (_, { schema }, detail) =>
      text(detail.refusedBy) === '["hyperjump"]' && (schema.$ref ?? '').startsWith('#/definitions/'),
    isCertain: true,
  },
  {
    name: 'ajv-multiple-of-large',
    reason: 'Ajv divides and compares with `parseInt`, which fails for numbers that print with an exponent',
    matches: (_, { schema, value }, detail) => onlyAjv(detail) && uses(schema, 'multipleOf') && /1e/.test(text(value)),
  },
  {
    name: 'hyperjump-multiple-of-tolerance',
    reason: 'Hyperjump takes numbers near to a multiple',
    matches: (_, { schema, value }, detail) =>
      detail.toolgate === detail.ajv &&
      detail.hyperjump === true &&
      uses(schema, 'multipleOf') &&
      text(value).includes('1e-7'),
  },
  {
    name: 'ajv-unevaluated',
    reason: 'Ajv does not follow which items `contains` evaluates, and which members `dependentSchemas` does not',
    matches: (_, { schema }, detail) =>
      onlyAjv(detail) && (uses(schema, 'unevaluatedItems') || uses(schema, 'unevaluatedProperties')),
  },
  {
    name: 'ajv-throws',
    reason: 'the code that Ajv generates for this schema throws',
    matches: (_, _case, detail) => String(detail.ajv).startsWith('threw') && detail.toolgate === detail.hyperjump,
  },
  {
    name: 'ajv-contains-of-tuple',
    reason: 'Ajv takes an empty array for `contains` beside a tuple',
    matches: (_, { schema }, detail) =>
      onlyAjv(detail) && uses(schema, 'contains') && (uses(schema, 'items') || uses(schema, 'prefixItems')),
  },
]

/** @param {string} target @param {import('./report.mjs').Disagreement} found @returns {Explanation | null} */
export function explanationOf(target, { case: given, detail }) {
  const judged = typeof detail === 'object' && detail !== null
  return judged ? (EXPLANATIONS.find(({ matches }) => matches(target, given, detail)) ?? null) : null
}
