'use strict'

// What the code of a library's schema adds to the arguments of a call, before its user is asked: defaults of its own, computed now.
// They are shown, and given to the code again in the confirmed run. What it changes stays between it and the handler.

const { isDeepStrictEqual } = require('node:util')

const { pointer } = require('../values/json-pointer.js')
const { schemaOutput } = require('./schema-code.js')

/** The most members that are looked at one by one, where not all of them fit the tool's schema. */
const MAX_ADDED = 64
/** The deepest value that is added. */
const MAX_DEPTH = 64

/**
 * @typedef {import('./schema-code.js').RunnableSchema} RunnableSchema
 * @typedef {import('./schema-code.js').WithArgs} WithArgs
 * @typedef {import('./schema-issues.js').SchemaCall} SchemaCall
 * @typedef {import('../../index.js').JsonValue} JsonValue
 * @typedef {{ path: string[], value: JsonValue }} Added a member that the arguments do not have
 */

/**
 * Runs a schema's code on the arguments of a call.
 * @param {RunnableSchema} schema
 * @param {WithArgs} context
 * @param {SchemaCall} call
 * @returns {Promise<[pointer: string, value: JsonValue][] | undefined>} what it adds; undefined for nothing
 * @throws {import('../answers/errors.js').ToolError} as for a handler that is not started
 */
async function schemaAdditions(schema, context, call) {
  const output = await schemaOutput(schema, context, call)
  const added = fitting([...addedMembers(JSON.parse(call.argsText), output, [])], call)
  if (added.length === 0) return undefined
  const kept = await keptAsGiven(schema, context, call, added)
  return kept.length === 0 ? undefined : kept.map(({ path, value }) => [pointer(path), value])
}

/**
 * The members that the code leaves as they are when it is given them. Another one, such as a default that it computes with, would
 * be computed with twice.
 * @param {RunnableSchema} schema
 * @param {WithArgs} context
 * @param {SchemaCall} call
 * @param {Added[]} added
 */
async function keptAsGiven(schema, context, call, added) {
  try {
    const output = await schemaOutput(schema, { ...context, args: withMembers(call.argsText, added) }, call)
    return added.filter(({ path, value }) => isDeepStrictEqual(jsonOf(memberAt(output, path), 0), value))
  } catch {
    return []
  }
}

/**
 * The members of objects in the output that the arguments do not have, as far as they are JSON.
 * @param {unknown} args
 * @param {unknown} output
 * @param {string[]} path
 * @returns {Generator<Added>}
 */
function* addedMembers(args, output, path) {
  if (Array.isArray(args)) {
    if (!Array.isArray(output) || output.length !== args.length) return
    for (const [index, element] of args.entries())
      yield* addedMembers(element, memberAt(output, [`${index}`]), [...path, `${index}`])
  } else if (isPlainObject(args) && isPlainObject(output)) {
    for (const name of Object.keys(output)) {
      const member = memberAt(output, [name])
      if (Object.hasOwn(args, name)) yield* addedMembers(args[name], member, [...path, name])
      else {
        const value = jsonOf(member, 0)
        if (value !== undefined && name !== '__proto__') yield { path: [...path, name], value }
      }
    }
  }
}

/**
 * The members with which the arguments fit the tool's JSON Schema: all, or one after another.
 * @param {Added[]} added
 * @param {SchemaCall} call
 */
function fitting(added, call) {
  const fits = (/** @type {Added[]} */ members) => call.fits(JSON.stringify(withMembers(call.argsText, members)))
  if (added.length === 0 || fits(added)) return added
  /** @type {Added[]} */
  const kept = []
  for (const member of added.slice(0, MAX_ADDED)) if (fits([...kept, member])) kept.push(member)
  return kept
}

/** @param {string} argsText @param {Added[]} added @returns {JsonValue} a new copy */
function withMembers(argsText, added) {
  const args = JSON.parse(argsText)
  for (const { path, value } of added) {
    const object = /** @type {Record<string, JsonValue>} */ (memberAt(args, path.slice(0, -1)))
    object[String(path.at(-1))] = structuredClone(value)
  }
  return args
}

/** @param {unknown} value @param {string[]} path */
function memberAt(value, path) {
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = Reflect.get(value, name)
  }
  return value
}

/**
 * A value as plain JSON; undefined if it is no JSON: a class instance, a Date, a function. A member without a value is absent.
 * @param {unknown} value
 * @param {number} depth
 * @returns {JsonValue | undefined}
 */
function jsonOf(value, depth) {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined
  if (depth >= MAX_DEPTH) return undefined
  if (Array.isArray(value)) {
    const elements = Array.from(value, element => jsonOf(element, depth + 1))
    return elements.includes(undefined) ? undefined : /** @type {JsonValue[]} */ (elements)
  }
  if (!isPlainObject(value)) return undefined
  /** @type {Record<string, JsonValue>} */
  const object = {}
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    const copy = jsonOf(member, depth + 1)
    if (copy === undefined || name === '__proto__') return undefined
    object[name] = copy
  }
  return object
}

/** Also of another realm. @param {unknown} value @returns {value is Record<string, unknown>} */
function isPlainObject(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

module.exports = { schemaAdditions }
