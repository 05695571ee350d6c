// Cuts an excerpt from a text: whole words, with an ellipsis at each cut.

const ELLIPSIS = '…'

/** @typedef {{ start: number, end: number, term: string | null }} MatchedWord */

/**
 * The excerpt of `text` of at most `limit` characters (without ellipses) that contains most of the searched terms, the
 * earliest of equal ones; the beginning of the text if no term matches.
 *
 * @param {string} text
 * @param {(word: string) => string | null} matchedTerm which term a word matches
 * @param {number} limit
 */
export function snippetAround(text, matchedTerm, limit) {
  const words = [...text.matchAll(/\S+/gu)].map(match => ({
    start: match.index,
    end: match.index + match[0].length,
    term: matchedTerm(match[0]),
  }))
  if (words.length === 0) return ''
  const { first, last } = widen(words, bestWindow(words, limit), limit)
  return cut(text, words[first].start, words[last].end, limit)
}

/** The beginning of `text`, at most `limit` characters. @param {string} text @param {number} limit */
export function openingOf(text, limit) {
  return snippetAround(text, () => null, limit)
}

/**
 * From one match to the last word that still fits, for each match; returns the window with the most distinct terms.
 * @param {MatchedWord[]} words
 * @param {number} limit
 */
function bestWindow(words, limit) {
  let best = { first: 0, last: 0, count: 0 }
  words.forEach((word, first) => {
    if (word.term === null) return
    const terms = new Set()
    let lastMatch = first
    for (let at = first; at < words.length && words[at].end - word.start <= limit; at += 1) {
      if (words[at].term === null || terms.has(words[at].term)) continue
      terms.add(words[at].term)
      lastMatch = at
    }
    if (terms.size > best.count) best = { first, last: lastMatch, count: terms.size }
  })
  return best
}

/**
 * Adds words before and after in turn, as context of the match.
 * @param {MatchedWord[]} words
 * @param {{ first: number, last: number }} window
 * @param {number} limit
 */
function widen(words, { first, last }, limit) {
  /** @param {number} from @param {number} to */
  const fits = (from, to) => words[to].end - words[from].start <= limit
  for (;;) {
    const before = first > 0 && fits(first - 1, last)
    if (before) first -= 1
    const after = last < words.length - 1 && fits(first, last + 1)
    if (after) last += 1
    if (!before && !after) return { first, last }
  }
}

/**
 * Cuts within a word only if the word is longer than the limit.
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @param {number} limit
 */
function cut(text, start, end, limit) {
  const stop = Math.min(end, start + limit)
  const isWhole = stop === end
  const piece = text.slice(start, stop)
  const isLast = isWhole && text.slice(end).trim() === ''
  return `${text.slice(0, start).trim() === '' ? '' : ELLIPSIS}${piece}${isLast ? '' : ELLIPSIS}`
}
