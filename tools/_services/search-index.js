// The embedded search engine (Orama: BM25, filters, typo tolerance) behind a few functions.
import { create, insert, search } from '@orama/orama'
import { boundedLevenshtein } from '@orama/orama/internals'
import { createConceptReader } from './synonyms.js'
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
 * @typedef {import('@orama/orama').SearchParamsFullText<Engine>} SearchParams
 * @typedef {import('@orama/orama').Results<{ id: string }>} EngineResults
 * @typedef {Pick<SearchParams, 'properties' | 'boost' | 'where'>} LookupOptions
 * @typedef {{ namespace?: string, type?: string, tags?: string[], updatedFrom?: number, updatedTo?: number }} Conditions
 */

// Everything is indexed as stems, so the engine only splits at spaces.
/** @type {import('@orama/orama').Tokenizer} */
const TOKENIZER = {
  language: 'english',
  normalizationCache: new Map(),
  tokenize: text => text.split(' ').filter(Boolean),
}
/** @type {LookupOptions} */
const RECORD_TEXT = { properties: ['title', 'body', 'tagText'], boost: { title: 2.5, tagText: 1.5, body: 1 } }
/** @type {LookupOptions} */
const RECORD_ID = { properties: ['idText'] }

// The engine's scores are unbounded; this score maps to 0.5.
const HALF_SCORE = 6

/**
 * How a stem is looked up: exactly if the index contains it, else as a prefix, else with typo tolerance. The weaker way
 * is used only if the stronger finds nothing: a search for `rust` must not also find `just`.
 *
 * @typedef {{ stem: string, exact: boolean, tolerance: number }} Term
 */

/**
 * @typedef {import('./synonyms.js').Concept} Concept
 * @typedef {{ terms: Term[], weight: number }} WeightedTerms
 * @typedef {{ id: string, score: number }} Hit
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
  return {
    /** @returns {{ terms: Term[], hits: Hit[] }} score in 0..1, descending, ties by id */
    find: (/** @type {string} */ query, /** @type {Conditions} */ conditions) =>
      find(engine, conceptsOf(query), { ...RECORD_TEXT, where: toWhere(conditions) }),
    /** @returns {string[]} ids of all records that meet the conditions */
    idsUnder: (/** @type {Conditions} */ conditions) => idsUnder(engine, toWhere(conditions)),
    /** @returns {string[]} ids that look like `id`, best first */
    nearestIds: (/** @type {string} */ id, /** @type {number} */ limit) =>
      find(engine, createConceptReader([])(id), RECORD_ID)
        .hits.slice(0, limit)
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

/** @param {{ db: Engine, size: number }} engine @param {Concept[]} concepts @param {LookupOptions} options */
function find(engine, concepts, options) {
  /** @type {Map<string, number>} */
  const scores = new Map()
  const terms = []
  for (const concept of concepts) {
    const alternatives = resolveConcept(engine, concept, options.properties)
    terms.push(...alternatives.flatMap(alternative => alternative.terms))
    for (const [id, score] of bestScores(engine, alternatives, options)) add(scores, id, score)
  }
  const hits = [...scores].map(([id, score]) => ({ id, score: toUnitScore(score) }))
  return { terms, hits: hits.sort(byScoreThenId) }
}

/**
 * The alternatives that the index has. Prefixes and typing errors are only searched for a word that neither the index
 * nor the synonyms contain.
 * @param {{ db: Engine }} engine
 * @param {Concept} concept
 * @param {LookupOptions['properties']} properties
 * @returns {WeightedTerms[]}
 */
function resolveConcept(engine, { alternatives, known }, properties) {
  const indexed = alternatives.map(({ stems, weight }) => {
    const found = stems.filter(stem => isFound(engine, { term: stem, properties, exact: true }))
    return { terms: found.map(toExactTerm), weight: (weight * found.length) / stems.length }
  })
  const usable = indexed.filter(({ terms }) => terms.length > 0)
  if (usable.length > 0 || known) return usable
  return [{ terms: alternatives[0].stems.map(stem => toInexactTerm(engine, stem, properties)), weight: 1 }]
}

/**
 * The score of each record by its best alternative.
 * @param {{ db: Engine, size: number }} engine
 * @param {WeightedTerms[]} alternatives
 * @param {LookupOptions} options
 */
function bestScores(engine, alternatives, options) {
  /** @type {Map<string, number>} */
  const best = new Map()
  for (const { terms, weight } of alternatives) {
    /** @type {Map<string, number>} */
    const scores = new Map()
    for (const { stem, exact, tolerance } of terms) {
      const params = { ...options, term: stem, exact, tolerance, limit: engine.size }
      const { hits } = /** @type {EngineResults} */ (search(engine.db, params))
      for (const { id, score } of hits) add(scores, id, weight * score)
    }
    for (const [id, score] of scores) best.set(id, Math.max(score, best.get(id) ?? 0))
  }
  return best
}

/** @param {Map<string, number>} scores @param {string} id @param {number} score */
const add = (scores, id, score) => scores.set(id, (scores.get(id) ?? 0) + score)

/** @param {{ db: Engine, size: number }} engine @param {LookupOptions['where']} where */
function idsUnder(engine, where) {
  const { hits } = /** @type {EngineResults} */ (search(engine.db, { term: '', where, limit: engine.size }))
  return hits.map(({ id }) => id)
}

/**
 * Over all records, ignoring filters: the vocabulary does not depend on the filter.
 * @param {{ db: Engine }} engine
 * @param {{ term: string, properties: LookupOptions['properties'], exact?: boolean, tolerance?: number }} how
 */
const isFound = ({ db }, how) => /** @type {EngineResults} */ (search(db, { preflight: true, ...how })).count > 0

/** @param {string} stem @returns {Term} */
const toExactTerm = stem => ({ stem, exact: true, tolerance: 0 })

/** @param {{ db: Engine }} engine @param {string} stem @param {LookupOptions['properties']} properties @returns {Term} */
function toInexactTerm(engine, stem, properties) {
  const isPrefix = isFound(engine, { term: stem, properties, tolerance: 0 })
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
  return /** @type {LookupOptions['where']} */ (where)
}

/** Rounded before sorting, so that equal rounded scores are ordered by id. @param {number} score */
function toUnitScore(score) {
  return Math.round((score / (score + HALF_SCORE)) * 1e4) / 1e4
}

/** @param {{ id: string, score: number }} a @param {{ id: string, score: number }} b */
function byScoreThenId(a, b) {
  if (a.score !== b.score) return b.score - a.score
  return a.id < b.id ? -1 : 1
}

/**
 * Returns for a word of running text which of the terms it matches, as the engine would.
 *
 * @param {Term[]} terms
 * @returns {(word: string) => string | null} the term's stem
 */
function matcherOf(terms) {
  /** @param {Term} term @param {string} own */
  const isMatch = ({ stem, exact, tolerance }, own) =>
    exact ? own === stem : boundedLevenshtein(stem, own, tolerance).isBounded
  return word => {
    const stems = stemsOf(word)
    return terms.find(term => stems.some(own => isMatch(term, own)))?.stem ?? null
  }
}
