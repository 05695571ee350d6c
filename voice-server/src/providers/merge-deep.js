/**
 * Merges objects member by member; any other value of `over` replaces the one of `base`.
 * @param {any} base
 * @param {any} over
 * @returns {any}
 */
export function mergeDeep(base, over) {
  if (over === undefined) return base
  if (!isObject(base) || !isObject(over)) return over
  const merge = (/** @type {[string, unknown]} */ [name, value]) => [
    name,
    Object.hasOwn(base, name) ? mergeDeep(base[name], value) : value,
  ]
  return { ...base, ...Object.fromEntries(Object.entries(over).map(merge)) }
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
