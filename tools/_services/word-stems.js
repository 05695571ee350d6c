// Reduces running text to the stems that are indexed and searched. Records, queries and snippets must use the same
// function to match.
import { tokenizer } from '@orama/orama/components'
import { stopwords } from '@orama/stopwords/english'

// The list is made for text with its apostrophes; folding parts `don't` into `don` and `t`, and single letters are
// dropped.
const english = tokenizer.createTokenizer({
  language: 'english',
  stemming: true,
  stopWords: [...new Set(stopwords.flatMap(word => word.split("'")))],
})

/**
 * The stems of `text` in order, repeats included: without accents, case, stop words and single letters. Hyphens and
 * underscores part words, so that `real-time` is found as `real time`, and an id by its parts.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function stemsOf(text) {
  return fold(text)
    .split(' ')
    .filter(word => word.length > 1)
    .map(word => english.normalizeToken('', word, false))
    .filter(Boolean)
}

/** @param {string} text */
function fold(text) {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/['’]s(?!\p{L})/giu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .toLowerCase()
    .trim()
}
