// The embedded search engine (Orama: BM25, filters, typo tolerance) behind three functions.
import { create, insert, search } from '@orama/orama'
import { boundedLevenshtein } from '@orama/orama/internals'
import { stemsOf } from './word-stems.js'

const SCHEMA = {
  title: 'string',
  body: 'string',
  // One string for the text index: Orama keeps term frequencies of the last element only in a `string[]`.
  tagText: 'string',
  idText: 'string',
  tags: 'enum[]',
  type: 'enum',
  namespace: 'enum',
  lastUpdated: 'number',
}
// Everything is indexed as stems, so the engine only splits at spaces.
const TOKENIZER = {
  language: 'english',
  normalizationCache: new Map(),
  tokenize: text => text.split(' ').filter(Boolean),
}
const RECORD_TEXT = { properties: ['title', 'body', 'tagText'], boost: { title: 2.5, tagText: 1.5, body: 1 } }
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
    find: (query, conditions) => find(engine, query, { ...RECORD_TEXT, where: toWhere(conditions) }),
    /** @returns {string[]} ids that look like `id`, best first */
    nearestIds: (id, limit) =>
      find(engine, id, RECORD_ID)
        .hits.slice(0, limit)
        .map(hit => hit.id),
    matcherOf,
  }
}

function toDocument(record) {
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

function find(engine, query, options) {
  const terms = [...new Set(stemsOf(query))].map(stem => resolveTerm(engine, stem, options.properties))
  const scores = new Map()
  for (const { stem, exact, tolerance } of terms) {
    const { hits } = search(engine.db, { ...options, term: stem, exact, tolerance, limit: engine.size })
    for (const { id, score } of hits) scores.set(id, (scores.get(id) ?? 0) + score)
  }
  const hits = [...scores].map(([id, score]) => ({ id, score: toUnitScore(score) }))
  return { terms, hits: hits.sort(byScoreThenId) }
}

/** Over all records, ignoring filters: the vocabulary does not depend on the filter. */
function resolveTerm({ db }, stem, properties) {
  const isFound = how => search(db, { term: stem, properties, preflight: true, ...how }).count > 0
  if (isFound({ exact: true })) return { stem, exact: true, tolerance: 0 }
  return { stem, exact: false, tolerance: isFound({ tolerance: 0 }) ? 0 : typoTolerance(stem) }
}

/** The tolerance in letters: short words have too many neighbours for more than one, very short words for any. */
function typoTolerance(stem) {
  if (stem.length >= 8) return 2
  return stem.length >= 4 ? 1 : 0
}

function toWhere({ namespace, type, tags = [], updatedFrom, updatedTo }) {
  const where = {}
  if (namespace) where.namespace = { eq: namespace }
  if (type) where.type = { eq: type }
  if (tags.length > 0) where.tags = { containsAll: tags }
  if (updatedFrom !== undefined || updatedTo !== undefined) {
    where.lastUpdated = { between: [updatedFrom ?? -Infinity, updatedTo ?? Infinity] }
  }
  return where
}

/** Rounded before sorting, so that equal rounded scores are ordered by id. */
function toUnitScore(score) {
  return Math.round((score / (score + HALF_SCORE)) * 1e4) / 1e4
}

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
  const isMatch = ({ stem, exact, tolerance }, own) =>
    exact ? own === stem : boundedLevenshtein(stem, own, tolerance).isBounded
  return word => {
    const stems = stemsOf(word)
    return terms.find(term => stems.some(own => isMatch(term, own)))?.stem ?? null
  }
}
