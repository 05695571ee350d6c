// Records of the knowledge base: their validation, and their projection for tools.

export const RECORD_TYPES = Object.freeze(['project', 'person', 'process', 'link', 'doc'])
export const NAMESPACES = Object.freeze(['studio', 'personal', 'public'])

const ID_PATTERN = /^[a-z]+:[a-z0-9_]+$/

/**
 * @typedef {object} KnowledgeRecord as it is stored
 * @property {string} id `<type>:<name>`, such as `person:ada_example`
 * @property {"project" | "person" | "process" | "link" | "doc"} type
 * @property {"studio" | "personal" | "public"} namespace
 * @property {string} title
 * @property {string} text
 * @property {string[]} tags lower case
 * @property {string} last_updated RFC 3339 date-time
 * @property {string | null} url
 * @property {string} source_type the kind of its source, such as `wiki`
 * @property {string[]} sources record ids or URLs that support the text
 * @property {object} metadata
 */

/**
 * A record in the form of a search result: what a record lacks, what depends on the request, and the rest.
 * @typedef {{ score: number, snippet?: string | null, url?: string | null, metadata?: object, full_text?: string,
 *   sources?: string[] } & Pick<KnowledgeRecord, 'id' | 'type' | 'title' | 'source_type' | 'last_updated'>} RecordView
 */

/** @type {Record<string, (value: any) => boolean>} `any`: a guard can't narrow a parameter of `includes` */
const CHECKS = {
  id: value => typeof value === 'string' && ID_PATTERN.test(value),
  type: value => RECORD_TYPES.includes(value),
  namespace: value => NAMESPACES.includes(value),
  title: isText,
  text: isText,
  tags: isListOfText,
  last_updated: value => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  url: value => value === null || URL.canParse(value),
  source_type: isText,
  sources: isListOfText,
  metadata: value => typeof value === 'object' && value !== null && !Array.isArray(value),
}

/** @param {unknown} value */
function isText(value) {
  return typeof value === 'string' && value.trim() !== ''
}

/** @param {unknown} value */
function isListOfText(value) {
  return Array.isArray(value) && value.every(isText)
}

/**
 * Throws a TypeError that names the first broken record: the developer must correct the data, so this runs at start-up.
 *
 * @param {unknown} records
 * @returns {KnowledgeRecord[]}
 */
export function checkRecords(records) {
  if (!Array.isArray(records)) throw new TypeError('knowledge base records must be an array')
  const seen = new Set()
  records.forEach((record, index) => {
    for (const [field, isValid] of Object.entries(CHECKS)) {
      if (!isValid(record?.[field]))
        throw new TypeError(`record ${index} (\`${record?.id}\`) has an invalid \`${field}\``)
    }
    if (seen.has(record.id)) throw new TypeError(`record id \`${record.id}\` is used twice`)
    seen.add(record.id)
  })
  return records
}

// What a view leaves out if the caller names fields, and this is not among them.
const OPTIONAL_FIELDS = /** @type {const} */ (['snippet', 'url', 'metadata'])

/**
 * The record as tools show it. `full_text` and `sources` are included only on request. If `returnFields` names fields,
 * `snippet`, `url` and `metadata` are left out unless they are named: the caller's context is spared.
 * Nested values are copies, so that a caller cannot change the stored record.
 *
 * @param {KnowledgeRecord} record
 * @param {{ snippet: string | null, score: number, returnFields?: string[] }} view
 */
export function viewOf(record, { snippet, score, returnFields = [] }) {
  /** @type {RecordView} */
  const view = {
    id: record.id,
    type: record.type,
    title: record.title,
    snippet,
    score,
    source_type: record.source_type,
    last_updated: record.last_updated,
    url: record.url,
    metadata: structuredClone(record.metadata),
  }
  if (returnFields.length > 0) {
    for (const field of OPTIONAL_FIELDS) if (!returnFields.includes(field)) delete view[field]
  }
  if (returnFields.includes('full_text')) view.full_text = record.text
  if (returnFields.includes('sources')) view.sources = [...record.sources]
  return view
}
