// The embedded search engine (Orama: BM25, filters, typo tolerance) behind a few functions.
import { create, insert, search } from '@orama/orama'
import { boundedLevenshtein } from '@orama/orama/internals'
import { BoundedCache } from './bounded-cache.js'
import { createConceptReader } from './synonyms.js'
import { createTermLookup } from './term-lookup.js'
import { stemsOf } from './word-stems.js'

const SCHEMA = /** @type {const} */ ({
  title: 'string',
  body: 'string',
  // One string for the text index: Orama keeps term frequencies of the last element only in a `string[]`.
  tagText: 'string',
  idText: 'string',
  tags: 'enum[]',
  type: 'enum',
  namespace: 'enum',
  lastUpdated: 'number',
})
/**
 * @typedef {import('@orama/orama').Orama<typeof SCHEMA>} Engine
 * @typedef {import('./term-lookup.js').TermLookup} TermLookup
 * @typedef {import('./term-lookup.js').Term} Term
 * @typedef {import('./term-lookup.js').Hit} Hit
 * @typedef {import('./term-lookup.js').SearchParams['where']} Where
 * @typedef {{ namespace?: string, type?: string, tags?: string[], updatedFrom?: number, updatedTo?: number }} Conditions
 */

// Everything is indexed as stems, so the engine only splits at spaces.
/** @type {import('@orama/orama').Tokenizer} */
const TOKENIZER = {
  language: 'english',
  normalizationCache: new Map(),
  tokenize: text => text.split(' ').filter(Boolean),
}
/** @type {import('./term-lookup.js').LookupOptions} */
const RECORD_TEXT = { properties: ['title', 'body', 'tagText'], boost: { title: 2.5, tagText: 1.5, body: 1 } }
/** @type {import('./term-lookup.js').LookupOptions} */
const RECORD_ID = { properties: ['idText'] }

/**
 * The least share of a query that a good match has, where a word counts by how rare it is: one rare word of three. Chosen on
 * the tuned halves of the questions in `bench/search`.
 */
const LEAST_SHARE = 0.305
/** The number of the rarest words of a query that its share is of: no record has half the words of a long query. */
const MOST_WORDS = 4
/** What a match with a word that may be another word counts. */
const TYPO_SHARE = 0.5
/** Shorter words are no beginnings of others: `AI` is not in `airport`. */
const SHORTEST_PREFIX = 3

/** Ids that are kept for conditions that were searched under, in number. */
const MAX_KEPT_IDS = 100_000

/**
 * @typedef {import('./synonyms.js').Concept} Concept
 * @typedef {{ terms: Term[], weight: number, length: number }} WeightedTerms `length` counts the words that the index lacks, too
 * @typedef {{ score: number, share: number }} Match `score` of the engine, `share` of the query's weight
 */

/**
 * @param {import('./knowledge-record.js').KnowledgeRecord[]} records with distinct ids
 * @param {string[][]} synonyms groups of words with one meaning
 */
export function createSearchIndex(records, synonyms) {
  const conceptsOf = createConceptReader(synonyms)
  const db = create({ schema: SCHEMA, sort: { enabled: false }, components: { tokenizer: TOKENIZER } })
  for (const record of records) insert(db, toDocument(record))
  const engine = { db, size: records.length }
  const [recordText, recordId] = [createTermLookup(engine, RECORD_TEXT), createTermLookup(engine, RECORD_ID)]
  const idConceptsOf = createConceptReader([])
  /** @type {BoundedCache<ReadonlySet<string>>} */
  const idsByConditions = new BoundedCache({ maxWeight: MAX_KEPT_IDS, weigh: ids => ids.size + 1 })
  const allowedUnder = (/** @type {Conditions} */ conditions) => {
    const where = toWhere(conditions)
    return idsByConditions.get(conditionsText(where), () => new Set(idsUnder(engine, where)))
  }
  return {
    /**
     * The records that match well, best first: score in 0..1, ties by id. The first one's score is the share of the query that
     * it has, those of the others are less in proportion.
     * @returns {{ terms: Term[], hits: Hit[] }}
     */
    find: (/** @type {string} */ query, /** @type {Conditions} */ conditions) => {
      const { terms, matches } = find(recordText, conceptsOf(asked(query)), records.length)
      const allowed = allowedUnder(conditions)
      return { terms, hits: ranked(matches.filter(([id, { share }]) => share >= LEAST_SHARE && allowed.has(id))) }
    },
    /** @returns {string[]} ids of all records that meet the conditions */
    idsUnder: (/** @type {Conditions} */ conditions) => [...allowedUnder(conditions)],
    /** @returns {string[]} ids that look like `id`, best first */
    nearestIds: (/** @type {string} */ id, /** @type {number} */ limit) =>
      ranked(find(recordId, idConceptsOf(id), records.length).matches)
        .slice(0, limit)
        .map(hit => hit.id),
    matcherOf,
  }
}

/** @param {import('./knowledge-record.js').KnowledgeRecord} record */
function toDocument(record) {
  /** @param {string} text */
  const indexed = text => stemsOf(text).join(' ')
  return {
    id: record.id,
    title: indexed(record.title),
    body: indexed(record.text),
    tagText: indexed(record.tags.join(' ')),
    idText: indexed(record.id),
    tags: record.tags,
    type: record.type,
    namespace: record.namespace,
    lastUpdated: Date.parse(record.last_updated),
  }
}

/** A single word is asked for, even if texts are full of it: `IT`. @param {string} query */
const asked = query => (/\s/.test(query.trim()) ? query : query.toUpperCase())

/**
 * Every record that has a word of the query.
 * @param {TermLookup} lookup
 * @param {Concept[]} concepts
 * @param {number} size the number of records
 * @returns {{ terms: Term[], matches: [id: string, Match][] }}
 */
function find(lookup, concepts, size) {
  /** @type {Map<string, number>} */
  const scores = new Map()
  /** @type {Map<string, number>} */
  const weights = new Map()
  const terms = []
  const rarities = []
  for (const concept of concepts) {
    const alternatives = resolveConcept(lookup, concept)
    const found = bestMatches(lookup, alternatives)
    terms.push(...alternatives.flatMap(alternative => alternative.terms))
    const isGuess = alternatives.some(alternative => alternative.terms.some(({ exact }) => !exact))
    // A word that the records lack is as rare as can be, and a guess at another word doesn't make it less so.
    const rarity = inverseFrequency(isGuess ? 0 : found.size, size)
    rarities.push(rarity)
    for (const [id, { score, share }] of found) {
      add(scores, id, score)
      add(weights, id, rarity * share * (isGuess ? TYPO_SHARE : 1))
    }
  }
  const whole = sum(rarities.sort((a, b) => b - a).slice(0, MOST_WORDS))
  const shareOf = (/** @type {string} */ id) => Math.min(1, (weights.get(id) ?? 0) / whole)
  return { terms, matches: [...scores].map(([id, score]) => [id, { score, share: shareOf(id) }]) }
}

/** How rare a word is, by the number of records that have it (the `idf` of BM25). @param {number} count @param {number} size */
const inverseFrequency = (count, size) => Math.log(1 + (size - count + 0.5) / (count + 0.5))

/** @param {number[]} numbers */
const sum = numbers => numbers.reduce((total, number) => total + number, 0)

/**
 * Best first, by the engine's scores. A score is rounded before sorting, so that equal ones are ordered by id.
 * @param {[id: string, Match][]} matches
 * @returns {Hit[]}
 */
function ranked(matches) {
  const [best] = matches.map(([, match]) => match).sort((a, b) => b.score - a.score || b.share - a.share)
  return matches
    .map(([id, { score }]) => ({ id, score: Math.round((best.share * score * 1e4) / best.score) / 1e4 }))
    .sort(byScoreThenId)
}

/**
 * The alternatives that the index has. Prefixes and typing errors are only searched for a word that neither the index
 * nor the synonyms contain.
 * @param {TermLookup} lookup
 * @param {Concept} concept
 * @returns {WeightedTerms[]}
 */
function resolveConcept(lookup, { alternatives, known }) {
  const indexed = alternatives.map(({ stems, weight }) => {
    const terms = stems.map(toExactTerm).filter(lookup.isFound)
    return { terms, weight, length: stems.length }
  })
  const usable = indexed.filter(({ terms }) => terms.length > 0)
  if (usable.length > 0 || known) return usable
  const [{ stems }] = alternatives
  return [{ terms: stems.map(stem => toInexactTerm(lookup, stem)), weight: 1, length: stems.length }]
}

/**
 * The match of each record by its best alternative. A synonym means what the query says, so that its share is whole. A record that has only some of its words counts by their share: `hire`
 * alone is no `new hire`.
 * @param {TermLookup} lookup
 * @param {WeightedTerms[]} alternatives
 */
function bestMatches(lookup, alternatives) {
  /** @type {Map<string, Match>} */
  const best = new Map()
  for (const { terms, weight, length } of alternatives) {
    /** @type {Map<string, number>} */
    const scores = new Map()
    /** @type {Map<string, number>} */
    const words = new Map()
    for (const term of terms) {
      for (const { id, score } of lookup.hitsOf(term)) {
        add(scores, id, weight * score)
        add(words, id, 1)
      }
    }
    for (const [id, found] of words) {
      const share = found / length
      const score = (scores.get(id) ?? 0) * share
      if (score > (best.get(id)?.score ?? 0)) best.set(id, { score, share })
    }
  }
  return best
}

/** @param {Map<string, number>} scores @param {string} id @param {number} score */
const add = (scores, id, score) => scores.set(id, (scores.get(id) ?? 0) + score)

/** As JSON, in which infinite numbers are not `null`. @param {Where} where */
const conditionsText = where =>
  JSON.stringify(where, (_, value) => (typeof value === 'number' ? String(value) : value)) ?? ''

/** @param {{ db: Engine, size: number }} engine @param {Where} where */
function idsUnder(engine, where) {
  const { hits } = /** @type {import('./term-lookup.js').EngineResults} */ (
    search(engine.db, { term: '', where, limit: engine.size })
  )
  return hits.map(({ id }) => id)
}

/** @param {string} stem @returns {Term} */
const toExactTerm = stem => ({ stem, exact: true, tolerance: 0 })

/** @param {TermLookup} lookup @param {string} stem @returns {Term} */
function toInexactTerm(lookup, stem) {
  if (stem.length < SHORTEST_PREFIX) return toExactTerm(stem)
  const isPrefix = lookup.isFound({ stem, exact: false, tolerance: 0 })
  return { stem, exact: false, tolerance: isPrefix ? 0 : typoTolerance(stem) }
}

/**
 * The tolerance in letters: short words have too many neighbours for more than one, very short words for any.
 * @param {string} stem
 */
function typoTolerance(stem) {
  if (stem.length >= 8) return 2
  return stem.length >= 4 ? 1 : 0
}

/** @param {Conditions} conditions */
function toWhere({ namespace, type, tags = [], updatedFrom, updatedTo }) {
  /** @type {Record<string, object>} */
  const where = {}
  if (namespace) where.namespace = { eq: namespace }
  if (type) where.type = { eq: type }
  if (tags.length > 0) where.tags = { containsAll: tags }
  if (updatedFrom !== undefined || updatedTo !== undefined) {
    where.lastUpdated = { between: [updatedFrom ?? -Infinity, updatedTo ?? Infinity] }
  }
  return /** @type {Where} */ (where)
}

/** @param {{ id: string, score: number }} a @param {{ id: string, score: number }} b */
function byScoreThenId(a, b) {
  if (a.score !== b.score) return b.score - a.score
  return a.id < b.id ? -1 : 1
}

/**
 * Returns for the stems of a word of running text which of the terms the word matches, as the engine would.
 *
 * @param {Term[]} terms
 * @returns {(stems: readonly string[]) => string | null} the term's stem
 */
function matcherOf(terms) {
  /** @param {Term} term @param {string} own */
  const isMatch = ({ stem, exact, tolerance }, own) =>
    exact ? own === stem : boundedLevenshtein(stem, own, tolerance).isBounded
  /** @type {Map<string, string | null>} texts repeat their words */
  const matches = new Map()
  const matchOf = (/** @type {readonly string[]} */ stems) =>
    terms.find(term => stems.some(own => isMatch(term, own)))?.stem ?? null
  return stems => {
    if (stems.length !== 1) return stems.length === 0 ? null : matchOf(stems)
    const known = matches.get(stems[0])
    if (known !== undefined) return known
    const match = matchOf(stems)
    matches.set(stems[0], match)
    return match
  }
}
