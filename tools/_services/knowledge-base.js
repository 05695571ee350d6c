// The embedded knowledge base: the shipped default of the host service `kb`. Reads records once, answers from memory.
import { readFile } from 'node:fs/promises'
import { NAMESPACES, checkRecords, viewOf } from './knowledge-record.js'
import { createSearchIndex } from './search-index.js'
import { ServiceError } from './service-errors.js'
import { openingOf, snippetAround } from './snippet.js'

const SHIPPED_RECORDS = new URL('./data/studio.json', import.meta.url)
const SNIPPET_CHARACTERS = 220
// `get` returns a longer snippet than a search: in voice, which refuses full texts, it is the only text.
const OPENING_CHARACTERS = 400
const NEAREST_IDS = 3

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
 * by id. It is a keyword search: BM25 over title, text and tags, with English stemming, prefixes, and tolerance for
 * typing errors in words that no record contains.
 * `get` resolves to one such record or `null`; `nearestIds` to ids that look like the given one.
 * An unknown namespace is a ServiceError `INVALID_NAMESPACE`; an aborted signal rejects with its reason.
 *
 * @param {{ records?: object[], file?: string | URL }} [options] the records, or the JSON file that has them; the
 *   shipped sample studio without either
 * @throws {TypeError} if a record is invalid or an id is used twice
 */
export async function createKnowledgeBase({ records, file = SHIPPED_RECORDS } = {}) {
  const checked = checkRecords(records ?? JSON.parse(await readFile(file, 'utf8')))
  const byId = new Map(checked.map(record => [record.id, structuredClone(record)]))
  const index = createSearchIndex([...byId.values()])
  return {
    /** @param {KnowledgeQuery} request */
    search: async request => search(byId, index, request),
    /** @param {string} id @param {GetOptions} [options] */
    get: async (id, options) => get(byId, id, options),
    /** @param {string} id */
    nearestIds: async id => index.nearestIds(id, NEAREST_IDS),
  }
}

/** @param {RecordsById} byId @param {SearchIndex} index @param {KnowledgeQuery} request */
function search(
  byId,
  index,
  { query, namespace = 'studio', filters = {}, topK = 5, returnFields, includeSnippets = true, signal },
) {
  signal?.throwIfAborted()
  if (!NAMESPACES.includes(namespace)) {
    throw new ServiceError(
      'INVALID_NAMESPACE',
      `unknown namespace \`${namespace}\`, known are ${NAMESPACES.join(', ')}`,
    )
  }
  const { terms, hits } = index.find(query, toConditions(namespace, filters))
  const matchedTerm = index.matcherOf(terms)
  return hits.slice(0, topK).map(({ id, score }) => {
    const record = /** @type {KnowledgeRecord} */ (byId.get(id))
    const snippet = includeSnippets ? snippetAround(record.text, matchedTerm, SNIPPET_CHARACTERS) : null
    return viewOf(record, { snippet, score, returnFields })
  })
}

/** @param {RecordsById} byId @param {string} id @param {GetOptions} [options] */
function get(byId, id, { returnFields, signal } = {}) {
  signal?.throwIfAborted()
  const record = byId.get(id)
  if (!record) return null
  return viewOf(record, { snippet: openingOf(record.text, OPENING_CHARACTERS), score: 1, returnFields })
}

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
