'use strict'

// Any value as JSON text, with a list of what JSON can't say: nothing is left out in silence, and nothing throws.

/** Deeper than any definition; JSON.stringify and the core both recurse. */
const MAX_DEPTH = 100

/** A member's name in a JSON Pointer (RFC 6901). */
const escaped = name => String(name).replaceAll('~', '~0').replaceAll('/', '~1')

/** What a value is that JSON has no word for; null for one that it has. */
function unsayable(value) {
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
 * @param {object} value
 * @returns {{ text: string, broken: { pointer: string, what: string }[] }} the text has no place for what is broken
 */
function plainJson(value) {
  const broken = []
  const root = {}
  // A stack of our own: values may nest deeper than functions can.
  const open = [{ value, pointer: '', into: root, key: 'value', around: [] }]
  while (open.length > 0) {
    const place = open.pop()
    let what
    try {
      what = visit(place, open)
    } catch {
      what = 'a value that refuses to be read'
    }
    if (what !== null) {
      broken.push({ pointer: place.pointer, what })
      // What comes after it in a list keeps its place.
      if (Array.isArray(place.into)) place.into.push(null)
    }
  }
  return { text: JSON.stringify(root.value ?? {}).replace(HALF, '\\ufffd'), broken }
}

/** Half a character, as JSON.stringify writes it: the core's strings have no place for one. */
const HALF = /(?<=(?:^|[^\\])(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/** Copies one value, and opens what is in it. Gives what it is if it can't be copied. */
function visit({ value, pointer, into, key, around }, open) {
  const said = typeof value?.toJSON === 'function' ? value.toJSON(key) : value
  const what = unsayable(said)
  if (what !== null) return what
  if (typeof said !== 'object' || said === null) {
    put(into, key, said ?? null)
    return null
  }
  if (around.includes(said)) return 'a value that holds itself'
  if (around.length >= MAX_DEPTH) return `a value deeper than ${MAX_DEPTH} levels`
  const copy = Array.isArray(said) ? [] : {}
  put(into, key, copy)
  const within = [...around, said]
  const names = Array.isArray(said) ? [...said.keys()] : Object.keys(said)
  // In reverse, for the last one opened is the first one visited.
  for (const name of names.reverse()) {
    const at = `${pointer}/${escaped(name)}`
    const member = lazily(said, name)
    if (Array.isArray(said) || member.value !== undefined)
      open.push({ ...member, pointer: at, into: copy, key: name, around: within })
  }
  return null
}

/** A member; one whose getter throws refuses to be read when it is visited. */
function lazily(object, name) {
  try {
    return { value: object[name] }
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

/** As an own property, whatever its name. */
function put(into, key, value) {
  if (Array.isArray(into)) into.push(value)
  else Object.defineProperty(into, key, { value, enumerable: true, writable: true, configurable: true })
}

module.exports = { plainJson }
