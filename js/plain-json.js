'use strict'

// Any value as JSON text, with a list of what JSON can't say: nothing is left out in silence, and nothing throws.

/** Deeper than any definition; JSON.stringify and the core both recurse. */
const MAX_DEPTH = 100

/** A member's name in a JSON Pointer (RFC 6901). */
const escaped = name => String(name).replaceAll('~', '~0').replaceAll('/', '~1')

/** What a value is that JSON has no word for; null for one that it has. */
function unsayable(value) {
  switch (typeof value) {
    case 'function': return 'a function'
    case 'symbol': return 'a symbol'
    case 'bigint': return 'a BigInt'
    case 'number': return Number.isFinite(value) ? null : String(value)
    case 'object':
      if (value instanceof Map || value instanceof Set) return `a ${value.constructor.name}`
      return null
    default: return null
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
    try {
      visit(place, open, broken)
    } catch {
      broken.push({ pointer: place.pointer, what: 'a value that refuses to be read' })
    }
  }
  return { text: JSON.stringify(root.value ?? {}).replace(HALF, '\\ufffd'), broken }
}

/** Half a character, as JSON.stringify writes it: the core's strings have no place for one. */
const HALF = /(?<=(?:^|[^\\])(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

function visit({ value, pointer, into, key, around }, open, broken) {
  const said = typeof value?.toJSON === 'function' ? value.toJSON(key) : value
  const what = unsayable(said)
  if (what !== null) {
    broken.push({ pointer, what })
  } else if (typeof said !== 'object' || said === null) {
    put(into, key, said)
  } else if (around.includes(said)) {
    broken.push({ pointer, what: 'a value that holds itself' })
  } else if (around.length >= MAX_DEPTH) {
    broken.push({ pointer, what: `a value deeper than ${MAX_DEPTH} levels` })
  } else {
    const copy = Array.isArray(said) ? [] : {}
    put(into, key, copy)
    const within = [...around, said]
    // Pushed in reverse, so that members are visited, and written, in their order.
    for (const name of Object.keys(said).reverse()) {
      const below = `${pointer}/${escaped(name)}`
      try {
        const member = said[name]
        if (member !== undefined) open.push({ value: member, pointer: below, into: copy, key: name, around: within })
      } catch {
        broken.push({ pointer: below, what: 'a value that refuses to be read' })
      }
    }
  }
}

/** As an own property, whatever its name. */
function put(into, key, value) {
  if (Array.isArray(into)) into.push(value)
  else Object.defineProperty(into, key, { value, enumerable: true, writable: true, configurable: true })
}

module.exports = { plainJson }
