'use strict'

// Any value as JSON text, with a list of the values that JSON can't express. Omits nothing silently and never throws.

const { escapedToken } = require('./json-pointer.js')

/** Exceeds the depth of any definition. The limit exists because JSON.stringify and the core recurse. */
const MAX_DEPTH = 100

/** Describes a value that JSON can't express; null for other values. @param {unknown} value */
function describeNonJson(value) {
  switch (typeof value) {
    case 'function':
      return 'a function'
    case 'symbol':
      return 'a symbol'
    case 'bigint':
      return 'a BigInt'
    case 'number':
      return Number.isFinite(value) ? null : String(value)
    case 'object':
      if (value instanceof Map || value instanceof Set) return `a ${value.constructor.name}`
      return null
    default:
      return null
  }
}

/**
 * @typedef {unknown[] | Record<PropertyKey, unknown>} Container
 * @typedef {{ value: unknown, pointer: string, target: Container, key: string | number, ancestors: unknown[] }} CopyEntry
 * @typedef {{ pointer: string, what: string }} BrokenValue
 * @param {object} value
 * @returns {{ text: string, broken: BrokenValue[] }} the text omits the broken values
 */
function plainJson(value) {
  /** @type {BrokenValue[]} */
  const broken = []
  /** @type {{ value?: unknown }} */
  const root = {}
  // An explicit stack: values may nest deeper than the call stack allows.
  /** @type {CopyEntry[]} */
  const stack = [{ value, pointer: '', target: root, key: 'value', ancestors: [] }]
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    let what
    try {
      what = copyValue(entry, stack)
    } catch {
      what = 'a value that throws when it is read'
    }
    if (what !== null) {
      broken.push({ pointer: entry.pointer, what })
      // Keeps the indices of the items after it.
      if (Array.isArray(entry.target)) entry.target.push(null)
    }
  }
  return { text: JSON.stringify(root.value ?? {}).replace(LONE_SURROGATE, '\\ufffd'), broken }
}

/** A lone surrogate as escaped by JSON.stringify: the core's strings are UTF-8. */
const LONE_SURROGATE = /(?<=(?:^|[^\\])(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/**
 * Copies one value and pushes its members onto the stack. Returns a description if the value can't be copied.
 * @param {CopyEntry} entry
 * @param {CopyEntry[]} stack
 * @returns {string | null}
 */
function copyValue({ value, pointer, target, key, ancestors }, stack) {
  const serializable = /** @type {{ toJSON?: (key: string | number) => unknown } | null | undefined} */ (value)
  const json = typeof serializable?.toJSON === 'function' ? serializable.toJSON(key) : value
  const what = describeNonJson(json)
  if (what !== null) return what
  if (typeof json !== 'object' || json === null) {
    setOwn(target, key, json ?? null)
    return null
  }
  if (ancestors.includes(json)) return 'a value that contains itself'
  if (ancestors.length >= MAX_DEPTH) return `a value deeper than ${MAX_DEPTH} levels`
  /** @type {Container} */
  const copy = Array.isArray(json) ? [] : {}
  setOwn(target, key, copy)
  const path = [...ancestors, json]
  const names = Array.isArray(json) ? [...json.keys()] : Object.keys(json)
  // In reverse, because a stack is last in, first out.
  for (const name of names.reverse()) {
    const at = `${pointer}/${escapedToken(name)}`
    const member = readMember(json, name)
    if (Array.isArray(json) || member.value !== undefined)
      stack.push({ ...member, pointer: at, target: copy, key: name, ancestors: path })
  }
  return null
}

/**
 * Reads a member. If its getter throws, the error is thrown again when the member is copied.
 * @param {object} object
 * @param {string | number} name
 * @returns {{ value: unknown }}
 */
function readMember(object, name) {
  try {
    return { value: Reflect.get(object, name) }
  } catch (error) {
    return {
      value: {
        toJSON() {
          throw error
        },
      },
    }
  }
}

/**
 * Sets an own property, also for a name such as `__proto__`.
 * @param {Container} target
 * @param {PropertyKey} key
 * @param {unknown} value
 */
function setOwn(target, key, value) {
  if (Array.isArray(target)) target.push(value)
  else Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

module.exports = { plainJson }
