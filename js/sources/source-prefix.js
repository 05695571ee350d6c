'use strict'

// What keeps the names and URIs of several servers apart, as models and MCP clients see them: `fs_read` is `read` of the source
// `fs`, and `fs+file:///a.txt` its `file:///a.txt`. A source may have an empty prefix.

const { isObject } = require('../gate/option-checks.js')

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/** @typedef {Pick<import('./types.js').SourceConfig, 'prefix'>} Prefixed */

/** What stands before the names of a source's tools and prompts. @param {string} name @param {Prefixed} config */
const prefixOf = (name, { prefix }) => prefix ?? `${name}_`

/** A name has no `-`, and a scheme no `_`. @param {string} name @param {Prefixed} config */
const uriPrefix = (name, { prefix }) => (prefix === '' ? '' : `${name.replaceAll('_', '-')}+`)

/** The blocks of a result, or the contents of a resource, with the URIs that a client can read. @template {JsonObject} T @param {T[]} blocks @param {string} prefix @returns {T[]} */
const withPublicUris = (blocks, prefix) => (prefix === '' ? blocks : blocks.map(block => withPublicUri(block, prefix)))

/** @template {JsonObject} T @param {T} block @param {string} prefix @returns {T} */
function withPublicUri(block, prefix) {
  const { uri, resource } = block
  if (typeof uri === 'string') return isOfWeb(uri) ? block : { ...block, uri: prefix + uri }
  const embedded = isObject(resource) ? /** @type {JsonObject} */ (resource) : {}
  if (typeof embedded.uri !== 'string' || isOfWeb(embedded.uri)) return block
  return { ...block, resource: { ...embedded, uri: prefix + embedded.uri } }
}

/** What a client may fetch by itself, and reads of its server if it does not. @param {string} uri */
const isOfWeb = uri => /^https?:/i.test(uri)

module.exports = { isOfWeb, prefixOf, uriPrefix, withPublicUri, withPublicUris }
