// Reduces running text to the stems that are indexed and searched. Records, queries and snippets must use the same
// function to match.
import { tokenizer } from '@orama/orama/components'
import { stopwords } from '@orama/stopwords/english'
import { BoundedCache } from './bounded-cache.js'

// The list is made for text with its apostrophes; folding parts `don't` into `don` and `t`.
const english = tokenizer.createTokenizer({
  language: 'english',
  stemming: true,
  stopWords: [...new Set(stopwords.flatMap(word => word.split("'")))],
})

/**
 * Stems by words of running text. Most of what records hold and users ask consists of the same few thousand words.
 * @type {BoundedCache<readonly string[]>}
 */
const known = new BoundedCache({ maxWeight: 20_000 })

/**
 * The stems of `text` in order, repeats included: without accents, case and stop words. Hyphens and underscores part words, so
 * that `real-time` is found as `real time`, and an id by its parts. A stop word in capitals among other words is an
 * abbreviation: `IT support`.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function stemsOf(text) {
  const words = text.match(/\S+/gu) ?? []
  const hasAbbreviations = words.length === 1 || /\p{Ll}/u.test(text)
  return words.flatMap(word => {
    const spelled = hasAbbreviations && ABBREVIATION.test(word) ? word : word.toLowerCase()
    return known.get(spelled, toStems)
  })
}

const ABBREVIATION = /^[^\p{L}\p{N}]*\p{Lu}{2,}[^\p{L}\p{N}]*$/u

/** The stems of text without space. @param {string} word */
function toStems(word) {
  const kept = ABBREVIATION.test(word) ? fold(word) : ''
  return fold(word)
    .split(' ')
    .map(part => english.normalizeToken('', part, false) || kept)
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
