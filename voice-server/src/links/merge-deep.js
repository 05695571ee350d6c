// One tree of settings over another.

/** Members of objects are merged; all else of `over` replaces what `base` has. */
export function mergeDeep(base, over) {
  if (over === undefined) return base
  if (!isObject(base) || !isObject(over)) return over
  const merged = Object.entries(over).map(([name, value]) => [name, Object.hasOwn(base, name) ? mergeDeep(base[name], value) : value])
  return { ...base, ...Object.fromEntries(merged) }
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
