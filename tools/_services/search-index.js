// The embedded search engine (Orama: BM25, filters, typo tolerance) behind three functions.
import { create, insert, search } from '@orama/orama'
import { boundedLevenshtein } from '@orama/orama/internals'
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

/** @param {import('./knowledge-record.js').KnowledgeRecord[]} records with distinct ids */
export function createSearchIndex(records) {
  const db = create({ schema: SCHEMA, sort: { enabled: false }, components: { tokenizer: TOKENIZER } })
  for (const record of records) insert(db, toDocument(record))
  const engine = { db, size: records.length }
  return {
    /** @returns {{ terms: Term[], hits: { id: string, score: number }[] }} score in 0..1, descending, ties by id */
    find: (/** @type {string} */ query, /** @type {Conditions} */ conditions) =>
      find(engine, query, { ...RECORD_TEXT, where: toWhere(conditions) }),
    /** @returns {string[]} ids that look like `id`, best first */
    nearestIds: (/** @type {string} */ id, /** @type {number} */ limit) =>
      find(engine, id, RECORD_ID)
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

/** @param {{ db: Engine, size: number }} engine @param {string} query @param {LookupOptions} options */
function find(engine, query, options) {
  const terms = [...new Set(stemsOf(query))].map(stem => resolveTerm(engine, stem, options.properties))
  /** @type {Map<string, number>} */
  const scores = new Map()
  for (const { stem, exact, tolerance } of terms) {
    const params = { ...options, term: stem, exact, tolerance, limit: engine.size }
    const { hits } = /** @type {EngineResults} */ (search(engine.db, params))
    for (const { id, score } of hits) scores.set(id, (scores.get(id) ?? 0) + score)
  }
  const hits = [...scores].map(([id, score]) => ({ id, score: toUnitScore(score) }))
  return { terms, hits: hits.sort(byScoreThenId) }
}

/**
 * Over all records, ignoring filters: the vocabulary does not depend on the filter.
 * @param {{ db: Engine }} engine
 * @param {string} stem
 * @param {LookupOptions['properties']} properties
 * @returns {Term}
 */
function resolveTerm({ db }, stem, properties) {
  /** @param {{ exact?: boolean, tolerance?: number }} how */
  const isFound = how =>
    /** @type {EngineResults} */ (search(db, { term: stem, properties, preflight: true, ...how })).count > 0
  if (isFound({ exact: true })) return { stem, exact: true, tolerance: 0 }
  return { stem, exact: false, tolerance: isFound({ tolerance: 0 }) ? 0 : typoTolerance(stem) }
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
