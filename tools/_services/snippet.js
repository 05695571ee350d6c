// Cuts an excerpt from a text: whole words, with an ellipsis at each cut.

const ELLIPSIS = '…'

/** @typedef {{ start: number, end: number, text: string }} Word */

/** The words of a text, for excerpts of one text for several searches. @param {string} text @returns {Word[]} */
export function wordsOf(text) {
  return [...text.matchAll(/\S+/gu)].map(match => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[0],
  }))
}

/**
 * The excerpt of `text` of at most `limit` characters (without ellipses) that contains most of the searched terms, the
 * earliest of equal ones; the beginning of the text if no term matches.
 *
 * @template {Word} W
 * @param {string} text
 * @param {(word: W) => string | null} matchedTerm which term a word matches
 * @param {number} limit
 * @param {readonly W[]} [words] of `text`
 */
export function snippetAround(text, matchedTerm, limit, words = /** @type {W[]} */ (wordsOf(text))) {
  if (words.length === 0) return ''
  const window = bestWindow(words, words.map(matchedTerm), limit)
  const { first, last } = widen(words, window, limit)
  return cut(text, words[first].start, words[last].end, limit)
}

/**
 * The beginning of `text`, at most `limit` characters.
 * @param {string} text
 * @param {number} limit
 * @param {readonly Word[]} [words] of `text`
 */
export function openingOf(text, limit, words) {
  return snippetAround(text, () => null, limit, words)
}

/**
 * From one match to the last word that still fits, for each match; returns the window with the most distinct terms.
 * @param {readonly Word[]} words
 * @param {(string | null)[]} matches the term that each word matches
 * @param {number} limit
 */
function bestWindow(words, matches, limit) {
  let best = { first: 0, last: 0, count: 0 }
  for (let first = 0; first < words.length; first += 1) {
    if (matches[first] === null) continue
    const terms = new Set()
    let lastMatch = first
    for (let at = first; at < words.length && words[at].end - words[first].start <= limit; at += 1) {
      if (matches[at] === null || terms.has(matches[at])) continue
      terms.add(matches[at])
      lastMatch = at
    }
    if (terms.size > best.count) best = { first, last: lastMatch, count: terms.size }
  }
  return best
}

/**
 * Adds words before and after in turn, as context of the match.
 * @param {readonly Word[]} words
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
