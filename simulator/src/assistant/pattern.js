// What a pattern of an intent says about a sentence: which words its named groups took, and which it stepped over.

/**
 * @typedef {[from: number, to: number]} Span
 *
 * @typedef {object} Fit
 * @property {Record<string, string>} captured by parameter
 * @property {Record<string, Span>} spans of what was captured
 * @property {Span[]} open what the pattern did not read: before it, after it, and under a wildcard
 */

const SKIPPED = 'skipped'
const PIECE = /\(\?<\w+>|\(\?<?[:!=]|\(|\)|\\.|\.\*\??|\[(?:\\.|[^\]\\])*\](?:\*\??|\{\d*,\d*\}\??)?|./gs
const WILDCARD = /^(?:\.\*|\[\^.*\](?:\*|\{))/s

/** Names each wildcard outside of a named group, so that a match has what it stepped over. @param {RegExp} pattern */
function compiled({ source, flags }) {
  /** @type {boolean[]} */
  const isNamed = []
  let count = 0
  const pieces = source.match(PIECE) ?? []
  const named = pieces.map(piece => {
    if (piece === ')') isNamed.pop()
    else if (piece.startsWith('(')) isNamed.push(isNamed.at(-1) === true || /^\(\?(?:<|!|=)/.test(piece))
    else if (WILDCARD.test(piece) && isNamed.at(-1) !== true) return `(?<${SKIPPED}${(count += 1)}>${piece})`
    return piece
  })
  return new RegExp(named.join(''), `${flags}d`)
}

/** @type {WeakMap<RegExp, RegExp>} */
const known = new WeakMap()

/** @param {RegExp} pattern @param {string} request @returns {Fit | null} */
export function fitOf(pattern, request) {
  const exact = known.get(pattern) ?? compiled(pattern)
  known.set(pattern, exact)
  const match = exact.exec(request)
  if (match === null) return null
  const from = match.index
  /** @type {Fit} */
  const fit = {
    captured: {},
    spans: {},
    open: [
      [0, from],
      [from + match[0].length, request.length],
    ],
  }
  for (const [name, span] of Object.entries(match.indices?.groups ?? {})) {
    if (span === undefined) continue
    if (name.startsWith(SKIPPED)) fit.open.push(span)
    else {
      fit.captured[name] = request.slice(...span)
      fit.spans[name] = span
    }
  }
  return fit
}
