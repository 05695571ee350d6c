'use strict'

// A schema in a form that clients with draft-07 and with 2020-12 read alike. MCP says 2020-12, but the TypeScript SDK 1.x
// checks results as draft-07: it refuses every result of a tuple, and throws for a `$schema` that it does not know. What
// the two drafts read differently is left out or loosened, never tightened: the gate checks the schema itself.

const { escapedToken } = require('../values/json-pointer.js')

/** Members that are schemas, lists of schemas, and objects of schemas; other members are copied. */
const ONE = new Set(
  'items additionalItems additionalProperties propertyNames not if then else contains unevaluatedProperties'.split(' '),
)
const LIST = new Set('allOf anyOf oneOf prefixItems items'.split(' '))
const NAMED = new Set('properties patternProperties $defs definitions dependentSchemas'.split(' '))
/** What names a document or a place in it: references become pointers. `unevaluatedItems` counts what tuples have checked. */
const DROPPED = new Set('$schema $id $anchor $dynamicAnchor $dynamicRef $vocabulary unevaluatedItems'.split(' '))
/** What draft-07 ignores, or what is loosened here. */
const LOOSENED = new Set(
  'prefixItems unevaluatedItems unevaluatedProperties dependentRequired dependentSchemas minContains maxContains $dynamicRef'.split(
    ' ',
  ),
)
/** Members that become stricter if a schema within them, or one that they refer to, becomes looser. */
const REVERSED = new Set('not if then else maxContains'.split(' '))
const ANNOTATIONS = new Set(
  'title description default examples deprecated readOnly writeOnly $comment $defs definitions'.split(' '),
)
/** A base for relative `$id`s. */
const NOWHERE = 'schema://root/'

/**
 * @typedef {Record<string, any>} Schema foreign, of unchecked members
 * @typedef {{ isLoose: boolean, places: Map<string, string>, moved: Map<string, string>, refs: { schema: Schema, uri: string }[] }} Rewriting
 *   `isLoose`: a schema of the document is loosened; `places`: URI of a resource or an anchor → its pointer; `moved`: pointer →
 *   the pointer in the copy; `refs`: references of the copy, with what they refer to
 */

/** @param {Schema} schema not changed @returns {Schema} */
function clientSchema(schema) {
  /** @type {Rewriting} */
  const rewriting = { isLoose: false, places: new Map(), moved: new Map(), refs: [] }
  scan(schema, '', NOWHERE, rewriting)
  const copy = rewritten(schema, { from: '', to: '', base: NOWHERE }, rewriting)
  for (const { schema: referring, uri } of rewriting.refs) setReference(referring, uri, rewriting)
  return copy
}

/** The subschemas of a schema, with their pointers. @param {Schema} schema @returns {[token: string, Schema][]} */
function subschemas(schema) {
  /** @type {[token: string, Schema][]} */
  const found = []
  for (const [name, value] of Object.entries(schema)) {
    if (Array.isArray(value)) {
      if (LIST.has(name)) for (const [at, one] of value.entries()) found.push([`/${name}/${at}`, one])
    } else if (NAMED.has(name)) {
      for (const [key, one] of Object.entries(value ?? {})) found.push([`/${name}/${escapedToken(key)}`, one])
    } else if (ONE.has(name)) found.push([`/${name}`, value])
  }
  return found
}

/** Finds the places that references name. @param {Schema} schema @param {string} at @param {string} base @param {Rewriting} rewriting */
function scan(schema, at, base, rewriting) {
  if (!isSchema(schema)) return
  const own = typeof schema.$id === 'string' ? resolved(schema.$id, base) : base
  if (own !== base || at === '') rewriting.places.set(own, at)
  for (const anchor of [schema.$anchor, schema.$dynamicAnchor])
    if (typeof anchor === 'string') rewriting.places.set(`${own}#${anchor}`, at)
  rewriting.isLoose ||= Array.isArray(schema.items) || Object.keys(schema).some(name => LOOSENED.has(name))
  for (const [token, one] of subschemas(schema)) scan(one, at + token, own, rewriting)
}

/**
 * @param {any} schema
 * @param {{ from: string, to: string, base: string }} place `from`: its pointer; `to`: the pointer of its copy
 * @param {Rewriting} rewriting
 * @returns {any}
 */
function rewritten(schema, { from, to, base }, rewriting) {
  if (!isSchema(schema)) return schema
  rewriting.moved.set(from, to)
  const own = typeof schema.$id === 'string' ? resolved(schema.$id, base) : base
  /** @param {any} one @param {string} token @param {string} [newToken] */
  const copied = (one, token, newToken = token) =>
    rewritten(one, { from: from + token, to: to + newToken, base: own }, rewriting)
  /** @type {Schema} */
  const copy = {}
  for (const [name, value] of Object.entries(schema)) {
    if (DROPPED.has(name) || (rewriting.isLoose && REVERSED.has(name)) || isTupleMember(name, schema)) continue
    // Two loosened alternatives may both fit.
    const kept = name === 'oneOf' && rewriting.isLoose && schema.anyOf === undefined ? 'anyOf' : name
    if (name === 'oneOf' && rewriting.isLoose && kept === name) continue
    if (name === 'contains' && schema.minContains === 0) continue
    setMember(copy, kept, copyOfMember(name, kept, value, copied))
  }
  if (isTuple(schema)) Object.assign(copy, looseTuple(schema, copied))
  if (typeof schema.$ref === 'string') rewriting.refs.push({ schema: copy, uri: resolved(schema.$ref, own) })
  return copy
}

/** @param {string} name @param {string} kept @param {any} value @param {(one: any, token: string, newToken?: string) => any} copied */
function copyOfMember(name, kept, value, copied) {
  if (Array.isArray(value) && LIST.has(name))
    return value.map((one, at) => copied(one, `/${name}/${at}`, `/${kept}/${at}`))
  if (NAMED.has(name) && isSchema(value)) {
    /** @type {Schema} */
    const copies = {}
    for (const [key, one] of Object.entries(value)) setMember(copies, key, copied(one, `/${name}/${escapedToken(key)}`))
    return copies
  }
  return ONE.has(name) ? copied(value, `/${name}`) : value
}

/** @param {Schema} schema */
const isTuple = schema => Array.isArray(schema.prefixItems) || Array.isArray(schema.items)

/** Whether a member is a part of what `looseTuple` replaces. @param {string} name @param {Schema} schema */
const isTupleMember = (name, schema) =>
  isTuple(schema) && (name === 'prefixItems' || name === 'items' || name === 'additionalItems')

/**
 * Each element fits one of the tuple's schemas; their order is lost.
 * @param {Schema} schema
 * @param {(one: any, token: string, newToken?: string) => any} copied
 */
function looseTuple(schema, copied) {
  const first = Array.isArray(schema.prefixItems) ? 'prefixItems' : 'items'
  const rest = first === 'prefixItems' ? 'items' : 'additionalItems'
  /** @type {any[]} */
  const prefix = schema[first]
  const anyOf = prefix.map((one, at) => copied(one, `/${first}/${at}`, `/items/anyOf/${at}`))
  if (schema[rest] !== undefined && schema[rest] !== false)
    anyOf.push(copied(schema[rest], `/${rest}`, `/items/anyOf/${prefix.length}`))
  // Without a schema for further elements these are anything; references may point to the list, so that it is kept.
  if (schema[rest] === undefined) anyOf.push({})
  const maxItems = Math.min(schema.maxItems ?? Infinity, schema[rest] === false ? prefix.length : Infinity)
  return { items: anyOf.length === 0 ? {} : { anyOf }, ...(maxItems < Infinity ? { maxItems } : {}) }
}

/**
 * Sets the pointer of a reference. Members beside it move into `allOf` with it, because draft-07 ignores them.
 * @param {Schema} referring @param {string} uri @param {Rewriting} rewriting
 */
function setReference(referring, uri, { places, moved }) {
  const [resource, fragment = ''] = uri.split('#', 2)
  const root = places.get(resource)
  const from = places.get(uri) ?? (root === undefined ? undefined : root + decoded(fragment))
  const to = from === undefined ? undefined : moved.get(from)
  delete referring.$ref
  // What it refers to is in no schema of the copy: anything.
  if (to === undefined) return
  const $ref = `#${encodeURI(to).replaceAll('#', '%23')}`
  const isAlone = Object.keys(referring).every(name => ANNOTATIONS.has(name))
  if (isAlone) referring.$ref = $ref
  else referring.allOf = [...(referring.allOf ?? []), { $ref }]
}

/** @param {unknown} value @returns {value is Schema} */
const isSchema = value => typeof value === 'object' && value !== null && !Array.isArray(value)

/** @param {string} uri @param {string} base */
function resolved(uri, base) {
  if (uri.startsWith('#')) return base.replace(/#.*/s, '') + uri
  return URL.canParse(uri, base) ? new URL(uri, base).href.replace(/#$/, '') : uri
}

/** @param {string} fragment */
function decoded(fragment) {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** Sets an own member, also one named `__proto__`. @param {Schema} object @param {string} name @param {unknown} value */
function setMember(object, name, value) {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
}

module.exports = { clientSchema }
