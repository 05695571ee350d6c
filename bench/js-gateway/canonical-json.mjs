// One text for equal JSON values, whatever the order of their members: what is hashed and compared.

/**
 * By sorting a copy, written by one `JSON.stringify`: about half the time of building the text piece by piece. It is RFC 8785
 * but for members named like array indexes, which JavaScript always puts first: still one text for equal values.
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

/**
 * Piece by piece, as RFC 8785 describes it.
 * @param {unknown} value a value that came from `JSON.parse`
 * @returns {string}
 */
export function canonicalText(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonicalText(value[key])}`)
  return `{${members.join(',')}}`
}
