// Small random changes to a schema.

/** @typedef {import('./random.cjs').Random} Random */

/** Keywords that change what a schema takes, without a reference that may not resolve. */
const ADDED = [
  { minLength: 1 },
  { maxItems: 1 },
  { minProperties: 1 },
  { additionalProperties: false },
  { additionalProperties: { type: 'string' } },
  { enum: ['a', 1, null] },
  { not: { type: 'null' } },
  { uniqueItems: true },
  { oneOf: [{ type: 'string' }, { type: 'object' }] },
]

/** @param {Random} random @param {any} schema @returns {any} a changed copy */
export function mutated(random, schema) {
  const copy = structuredClone(schema)
  const places = subschemas(copy)
  for (let changes = 1 + random.below(3); changes > 0 && places.length > 0; changes -= 1)
    change(random, random.pick(places), places)
  return copy
}

/** @param {Random} random @param {Record<string, any>} at @param {Record<string, any>[]} places */
function change(random, at, places) {
  const names = Object.keys(at)
  const kind = random.below(4)
  if (kind === 0 && names.length > 0) {
    const name = random.pick(names)
    if (!name.startsWith('$')) delete at[name]
  } else if (kind === 1) Object.assign(at, structuredClone(random.pick(ADDED)))
  else if (kind === 2 && Array.isArray(at.required)) at.required = random.some(at.required, 0.5)
  else if (kind === 3) Object.assign(at, withoutReferences(random.pick(places)))
}

/** @param {Record<string, any>} schema */
function withoutReferences(schema) {
  const copy = structuredClone(schema)
  return JSON.stringify(copy).includes('"$') ? {} : copy
}

const MAPS = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions']
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const SINGLES = [
  'items',
  'additionalItems',
  'unevaluatedItems',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'contains',
  'if',
  'then',
  'else',
]

/** The schema and all in it. @param {any} schema @returns {Record<string, any>[]} */
export function subschemas(schema) {
  if (Array.isArray(schema)) return schema.flatMap(subschemas)
  if (typeof schema !== 'object' || schema === null) return []
  const inner = [
    ...MAPS.flatMap(keyword => Object.values(schema[keyword] ?? {})),
    ...LISTS.flatMap(keyword => schema[keyword] ?? []),
    ...SINGLES.map(keyword => schema[keyword]),
  ]
  return [schema, ...inner.flatMap(subschemas)]
}

/** A copy without the keyword `default`, wherever it is. @param {any} schema @returns {any} */
export function withoutDefaults(schema) {
  const copy = structuredClone(schema)
  // A property may be called `default`: only schemas lose it.
  for (const place of subschemas(copy)) delete place.default
  return copy
}
