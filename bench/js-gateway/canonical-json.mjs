// One text for equal JSON values, whatever the order of their members: what is hashed and compared.
//
// A copy with sorted members, written by one `JSON.stringify`, takes about half the time of building the text piece by
// piece. It is RFC 8785 but for members named like array indexes, which JavaScript always puts first: still one text for
// equal values.

/**
 * @param {unknown} value a value that came from `JSON.parse`
 * @returns {string}
 */
export function canonicalJson(value) {
  return JSON.stringify(sorted(value))
}

function sorted(value) {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sorted)
  const copy = {}
  for (const key of Object.keys(value).sort()) {
    if (key === '__proto__') Object.defineProperty(copy, key, { value: sorted(value[key]), enumerable: true })
    else copy[key] = sorted(value[key])
  }
  return copy
}
