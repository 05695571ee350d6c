// Looks up single stems in the engine, in all records: neither the vocabulary nor the scores depend on a search's
// conditions. The records of an index do not change, so what was found is kept.
import { search } from '@orama/orama'
import { BoundedCache } from './bounded-cache.js'

/** Records in kept results, in number, and kept answers to the question whether a stem is there. */
const MAX_KEPT_HITS = 50_000
const MAX_KEPT_ANSWERS = 10_000

/**
 * How a stem is looked up: exactly if the index contains it, else as a prefix, else with typo tolerance. The weaker way
 * is used only if the stronger finds nothing: a search for `rust` must not also find `just`.
 *
 * @typedef {{ stem: string, exact: boolean, tolerance: number }} Term
 *
 * @typedef {import('./search-index.js').Engine} Engine
 * @typedef {import('@orama/orama').SearchParamsFullText<Engine>} SearchParams
 * @typedef {import('@orama/orama').Results<{ id: string }>} EngineResults
 * @typedef {Pick<SearchParams, 'properties' | 'boost'>} LookupOptions
 * @typedef {{ id: string, score: number }} Hit
 * @typedef {ReturnType<typeof createTermLookup>} TermLookup
 */

/**
 * @param {{ db: Engine, size: number }} engine
 * @param {LookupOptions} options the fields that are searched
 */
export function createTermLookup({ db, size }, options) {
  /** @type {BoundedCache<boolean>} */
  const answers = new BoundedCache({ maxWeight: MAX_KEPT_ANSWERS })
  /** @type {BoundedCache<readonly Hit[]>} */
  const results = new BoundedCache({ maxWeight: MAX_KEPT_HITS, weigh: hits => hits.length + 1 })
  const { properties } = options
  /** @param {Term} term */
  const isFound = ({ stem, exact, tolerance }) =>
    /** @type {EngineResults} */ (search(db, { preflight: true, term: stem, properties, exact, tolerance })).count > 0
  /** @param {Term} term */
  const hitsOf = ({ stem, exact, tolerance }) => {
    const { hits } = /** @type {EngineResults} */ (
      search(db, { ...options, term: stem, exact, tolerance, limit: size })
    )
    return hits.map(({ id, score }) => ({ id, score }))
  }
  return {
    /** Whether any record has the term. */
    isFound: (/** @type {Term} */ term) => answers.get(keyOf(term), () => isFound(term)),

    /** All records that have the term, with the engine's scores. @returns {readonly Hit[]} */
    hitsOf: (/** @type {Term} */ term) => results.get(keyOf(term), () => hitsOf(term)),
  }
}

/** @param {Term} term its stem has no spaces */
const keyOf = ({ stem, exact, tolerance }) => `${exact ? 'exact' : tolerance} ${stem}`
