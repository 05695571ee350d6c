// The embedded knowledge base: the shipped default of the host service `kb`. Reads records once, answers from memory.
import { readFile } from 'node:fs/promises'
import { BoundedCache } from './bounded-cache.js'
import { NAMESPACES, checkRecords, viewOf } from './knowledge-record.js'
import { fuseRankings } from './rank-fusion.js'
import { createVectorRanking } from './record-vectors.js'
import { createSearchIndex } from './search-index.js'
import { ServiceError } from './service-errors.js'
import { openingOf, snippetAround, wordsOf } from './snippet.js'
import { shippedSynonyms } from './synonyms.js'
import { stemsOf } from './word-stems.js'

const SHIPPED_RECORDS = new URL('./data/studio.json', import.meta.url)
const SNIPPET_CHARACTERS = 220
// `get` returns a longer snippet than a search: in voice, which refuses full texts, it is the only text.
const OPENING_CHARACTERS = 400
const NEAREST_IDS = 3
// How many of the vector ranking take part: it ranks every record, however little it has to do with the query.
const NEAREST_VECTORS = 20
// The words of texts that are kept for snippets, in number.
const MAX_KEPT_WORDS = 100_000

/**
 * @typedef {import('./knowledge-record.js').KnowledgeRecord} KnowledgeRecord
 * @typedef {Map<string, KnowledgeRecord>} RecordsById
 * @typedef {ReturnType<typeof createSearchIndex>} SearchIndex
 * @typedef {{ type?: string, tags?: string[], date_range?: { start?: string, end?: string } }} SearchFilters
 * @typedef {{ query: string, namespace?: KnowledgeRecord['namespace'], filters?: SearchFilters, topK?: number,
 *   returnFields?: string[], includeSnippets?: boolean, signal?: AbortSignal }} KnowledgeQuery
 * @typedef {{ returnFields?: string[], signal?: AbortSignal }} GetOptions
 */

/**
 * Makes a knowledge base that implements the `kb` service.
 *
 * `search` resolves to records (`id, type, title, snippet, score, source_type, last_updated, url, metadata`, and
 * `full_text`, `sources` if `returnFields` contains them), best first; the score is in 0..1, equal scores are ordered
 * by id. It is a keyword search: BM25 over title, text and tags, with English stemming, synonyms of everyday words,
 * and, for words that neither the records nor the synonyms contain, prefixes and tolerance for typing errors. A record that has
 * little of the query is not found. The first record's score is the share of the query that it has.
 * With `embed` it is a hybrid search: the keyword ranking and the ranking by vectors are joined by their ranks, and so are
 * their scores, which order the results of one search only. A search whose query cannot be embedded is answered by keywords.
 * `get` resolves to one such record or `null`; `nearestIds` to ids that look like the given one.
 * An unknown namespace is a ServiceError `INVALID_NAMESPACE`; an aborted signal rejects with its reason.
 *
 * @param {object} [options]
 * @param {object[]} [options.records]
 * @param {string | URL} [options.file] the JSON file of the records, if `records` is absent; default: the shipped sample
 * @param {string[][]} [options.synonyms] groups of words with one meaning; default: the shipped English ones
 * @param {import('./record-vectors.js').Embed} [options.embed] makes vectors of texts
 * @param {number} [options.leastSimilarity] the least cosine of a query and a record that is found by its meaning alone. Each
 *   model has its own: measure it on questions without an answer. Default: -1, every record is near
 * @throws {TypeError} if a record is invalid, an id is used twice, or `embed` returns no vectors for the records
 */
export async function createKnowledgeBase({
  records,
  file = SHIPPED_RECORDS,
  synonyms,
  embed,
  leastSimilarity = -1,
} = {}) {
  const checked = checkRecords(records ?? JSON.parse(await readFile(file, 'utf8')))
  const byId = new Map(checked.map(record => [record.id, structuredClone(record)]))
  const index = createSearchIndex([...byId.values()], synonyms ?? shippedSynonyms())
  const nearestTo = embed && (await createVectorRanking([...byId.values()], embed, leastSimilarity))
  const words = new BoundedCache({ maxWeight: MAX_KEPT_WORDS, weigh: list => list.length })
  const base = { byId, index, nearestTo, words }
  return {
    /** @param {KnowledgeQuery} request */
    search: async request => search(base, request),
    /** @param {string} id @param {GetOptions} [options] */
    get: async (id, options) => get(base, id, options),
    /** @param {string} id */
    nearestIds: async id => index.nearestIds(id, NEAREST_IDS),
  }
}

/**
 * @typedef {object} Base
 * @property {RecordsById} byId
 * @property {SearchIndex} index
 * @property {Awaited<ReturnType<typeof createVectorRanking>> | undefined} nearestTo
 * @property {BoundedCache<StemmedWord[]>} words of the records' texts, by id
 *
 * @typedef {import('./snippet.js').Word & { stems: readonly string[] }} StemmedWord
 */

/** @param {Base} base @param {KnowledgeQuery} request */
async function search(
  base,
  { query, namespace = 'studio', filters = {}, topK = 5, returnFields, includeSnippets = true, signal },
) {
  signal?.throwIfAborted()
  if (!NAMESPACES.includes(namespace)) {
    throw new ServiceError(
      'INVALID_NAMESPACE',
      `unknown namespace \`${namespace}\`, known are ${NAMESPACES.join(', ')}`,
    )
  }
  const conditions = toConditions(namespace, filters)
  const { terms, hits } = base.index.find(query, conditions)
  const ranked = await rank(base, { query, conditions, hits, signal })
  const matchOf = base.index.matcherOf(terms)
  const matchedTerm = (/** @type {StemmedWord} */ word) => matchOf(word.stems)
  return ranked.slice(0, topK).map(({ id, score }) => {
    const record = /** @type {KnowledgeRecord} */ (base.byId.get(id))
    const snippet = includeSnippets
      ? snippetAround(record.text, matchedTerm, SNIPPET_CHARACTERS, keptWords(base, record))
      : null
    return viewOf(record, { snippet, score, returnFields })
  })
}

/**
 * Joins the keyword hits with the records that are nearest by vectors.
 * @param {Base} base
 * @param {{ query: string, conditions: ReturnType<typeof toConditions>, hits: { id: string, score: number }[],
 *   signal?: AbortSignal }} found
 */
async function rank({ index, nearestTo }, { query, conditions, hits, signal }) {
  if (!nearestTo) return hits
  const nearest = await nearestTo(query, signal).catch(() => null)
  signal?.throwIfAborted()
  if (nearest === null) return hits
  const allowed = new Set(index.idsUnder(conditions))
  const byVector = nearest.filter(id => allowed.has(id)).slice(0, NEAREST_VECTORS)
  return fuseRankings([hits.map(({ id }) => id), byVector])
}

/** @param {Base} base @param {string} id @param {GetOptions} [options] */
function get(base, id, { returnFields, signal } = {}) {
  signal?.throwIfAborted()
  const record = base.byId.get(id)
  if (!record) return null
  const snippet = openingOf(record.text, OPENING_CHARACTERS, keptWords(base, record))
  return viewOf(record, { snippet, score: 1, returnFields })
}

/** @param {Base} base @param {KnowledgeRecord} record */
const keptWords = ({ words }, { id, text }) =>
  words.get(id, () => wordsOf(text).map(word => ({ ...word, stems: stemsOf(word.text) })))

/** @param {KnowledgeRecord['namespace']} namespace @param {SearchFilters} filters */
function toConditions(namespace, { type, tags, date_range: range = {} }) {
  return {
    namespace,
    type,
    tags,
    updatedFrom: range.start === undefined ? undefined : Date.parse(range.start),
    updatedTo: range.end === undefined ? undefined : Date.parse(range.end),
  }
}
