// Everyday words for what records say in other words: `vacation` for `leave`.
import { readFileSync } from 'node:fs'
import { stemsOf } from './word-stems.js'

const SHIPPED_GROUPS = new URL('./data/synonyms.json', import.meta.url)

/** What a record's match with a synonym counts, of what a match with the query's own word counts. */
const SYNONYM_WEIGHT = 0.6

/**
 * Stems that are searched together: all of them count.
 * @typedef {{ stems: string[], weight: number }} Alternative
 *
 * One meaning of the query. A record scores by its best alternative, so that a record with three synonyms of one word
 * is not preferred to a record with two words of the query.
 * @typedef {{ alternatives: Alternative[], known: boolean }} Concept `known`: the synonyms contain it, so that it is no
 *   typing error
 */

/** @returns {string[][]} groups of words and short phrases, each group with one meaning */
export const shippedSynonyms = () => JSON.parse(readFileSync(SHIPPED_GROUPS, 'utf8'))

/**
 * @param {string[][]} groups a word can be in several groups
 * @returns {(query: string) => Concept[]} the query's concepts, in its order and without repeats
 */
export function createConceptReader(groups) {
  const phrases = indexPhrases(groups)
  const longest = Math.max(1, ...[...phrases.values()].map(({ stems }) => stems.length))
  return query => {
    const stems = stemsOf(query)
    /** @type {Map<string, Concept>} */
    const concepts = new Map()
    for (let at = 0; at < stems.length;) {
      const known = longestPhrase(phrases, stems.slice(at, at + longest))
      const own = known?.stems ?? [stems[at]]
      concepts.set(own.join(' '), toConcept(own, known))
      at += own.length
    }
    return [...concepts.values()]
  }
}

/** @typedef {{ stems: string[], synonyms: Map<string, string[]> }} Phrase */

/** @param {string[][]} groups @returns {Map<string, Phrase>} by the phrase's stems, joined by a space */
function indexPhrases(groups) {
  /** @type {Map<string, Phrase>} */
  const phrases = new Map()
  for (const group of groups) {
    const members = group.map(stemsOf).filter(stems => stems.length > 0)
    for (const stems of members) {
      const key = stems.join(' ')
      const phrase = phrases.get(key) ?? { stems, synonyms: new Map() }
      for (const other of members) if (other.join(' ') !== key) phrase.synonyms.set(other.join(' '), other)
      phrases.set(key, phrase)
    }
  }
  return phrases
}

/** @param {Map<string, Phrase>} phrases @param {string[]} stems */
function longestPhrase(phrases, stems) {
  for (let length = stems.length; length > 0; length--) {
    const phrase = phrases.get(stems.slice(0, length).join(' '))
    if (phrase) return phrase
  }
  return undefined
}

/** @param {string[]} own @param {Phrase | undefined} known @returns {Concept} */
function toConcept(own, known) {
  const synonyms = [...(known?.synonyms.values() ?? [])].map(stems => ({ stems, weight: SYNONYM_WEIGHT }))
  return { alternatives: [{ stems: own, weight: 1 }, ...synonyms], known: known !== undefined }
}
