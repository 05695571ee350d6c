// Makes a failing case smaller while it still fails.

const MAX_TRIALS = 500

/**
 * @template T
 * @param {T} value JSON
 * @param {(candidate: T) => boolean | Promise<boolean>} fails
 * @param {number} [limit] the most candidates that are tried
 * @returns {Promise<T>}
 */
export async function minimise(value, fails, limit = MAX_TRIALS) {
  let smallest = value
  let trials = 0
  for (let found = true; found && trials < limit;) {
    found = false
    for (const candidate of smaller(smallest)) {
      if ((trials += 1) > limit) break
      if (!(await fails(candidate))) continue
      smallest = candidate
      found = true
      break
    }
  }
  return smallest
}

/** Values with one part removed or replaced, the largest changes first. @param {any} value @returns {Generator<any>} */
function* smaller(value) {
  if (Array.isArray(value)) yield* smallerArrays(value)
  else if (typeof value === 'object' && value !== null) yield* smallerObjects(value)
  else if (typeof value === 'string' && value.length > 1) yield value.slice(0, value.length >> 1)
}

/** @param {any[]} value */
function* smallerArrays(value) {
  for (const index of value.keys()) yield value.toSpliced(index, 1)
  for (const [index, element] of value.entries())
    for (const candidate of smaller(element)) yield value.with(index, candidate)
}

/** @param {Record<string, any>} value */
function* smallerObjects(value) {
  const entries = Object.entries(value)
  for (const [name] of entries) yield Object.fromEntries(entries.filter(([other]) => other !== name))
  for (const [name, member] of entries) {
    // Half a reference or a half dialect is another fault.
    if (name.startsWith('$') && typeof member === 'string') continue
    for (const candidate of smaller(member))
      yield Object.fromEntries(entries.map(([other, kept]) => [other, other === name ? candidate : kept]))
  }
}
