// The drafts of JSON Schema that the gate reads, with what differs between them for a generator.

/**
 * @typedef {object} Draft
 * @property {string} name
 * @property {string} uri the value of `$schema`
 * @property {number} year a number that orders drafts
 * @property {string} definitions the keyword that holds definitions
 */

/** @type {Draft[]} */
export const DRAFTS = [
  { name: 'draft-04', uri: 'http://json-schema.org/draft-04/schema#', year: 4, definitions: 'definitions' },
  { name: 'draft-06', uri: 'http://json-schema.org/draft-06/schema#', year: 6, definitions: 'definitions' },
  { name: 'draft-07', uri: 'http://json-schema.org/draft-07/schema#', year: 7, definitions: 'definitions' },
  { name: '2019-09', uri: 'https://json-schema.org/draft/2019-09/schema', year: 2019, definitions: '$defs' },
  { name: '2020-12', uri: 'https://json-schema.org/draft/2020-12/schema', year: 2020, definitions: '$defs' },
]

/** The draft that a schema declares; 2020-12 if it declares none. @param {any} schema @returns {Draft | undefined} */
export function draftOf(schema) {
  const declared = schema?.$schema
  if (declared === undefined) return DRAFTS.at(-1)
  const bare = String(declared)
    .replace(/#$/, '')
    .replace(/^https:\/\/json-schema.org\/draft-/, 'http://json-schema.org/draft-')
  return DRAFTS.find(({ uri }) => uri.replace(/#$/, '') === bare)
}
