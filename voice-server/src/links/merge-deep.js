// One tree of settings over another.

/** Members of objects are merged; all else of `over` replaces what `base` has. */
export function mergeDeep(base, over) {
  if (over === undefined) return base
  if (!isObject(base) || !isObject(over)) return over
  const merge = ([name, value]) => [name, Object.hasOwn(base, name) ? mergeDeep(base[name], value) : value]
  return { ...base, ...Object.fromEntries(Object.entries(over).map(merge)) }
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
