'use strict'
// Joins the members of streamed messages that the next request repeats: texts, lists of parts, objects.
const { recordOf } = require('../shared/frame-reading.js')

/** The most parts of a list, and members of an object, to which more are joined. */
const MAX_PARTS = 512
/** Members of a part whose texts come in pieces; any other text comes whole. */
const STREAMED_TEXTS = ['text', 'summary', 'data', 'thinking', 'signature']

/**
 * A member with a later piece of it.
 * @param {unknown} known
 * @param {unknown} piece
 * @returns {unknown}
 */
function joined(known, piece) {
  if (piece === null || piece === undefined) return known
  if (known === null || known === undefined) return Array.isArray(piece) ? joinedParts([], piece) : piece
  if (typeof known === 'string' && typeof piece === 'string') return known + piece
  if (Array.isArray(known) || Array.isArray(piece)) return joinedParts(asParts(known), asParts(piece))
  if (typeof known === 'object' && typeof piece === 'object')
    return Object.keys(known).length > MAX_PARTS ? known : { ...known, ...piece }
  return piece
}

/** @param {unknown[]} known @param {unknown[]} pieces */
function joinedParts(known, pieces) {
  const parts = [...known]
  for (const piece of pieces) {
    const at = indexOfPart(parts, piece)
    if (at !== -1) parts[at] = joinedPart(recordOf(parts[at]), recordOf(piece))
    else if (parts.length < MAX_PARTS) parts.push(piece)
  }
  return parts
}

/** A text among parts is a part. @param {unknown} value */
function asParts(value) {
  if (Array.isArray(value)) return value
  return typeof value === 'string' && value !== '' ? [{ type: 'text', text: value }] : []
}

/**
 * The place of the part that a piece continues: of its type, and of its index or at the end.
 * @param {unknown[]} parts
 * @param {unknown} piece
 */
function indexOfPart(parts, piece) {
  const { type, index, id } = recordOf(piece)
  if (type === undefined) return -1
  return parts.findLastIndex((part, at) => {
    const known = recordOf(part)
    const isPlace = index === undefined ? at === parts.length - 1 : known.index === index
    return isPlace && known.type === type && (id == null || known.id == null || known.id === id)
  })
}

/** @param {Record<string, unknown>} known @param {Record<string, unknown>} piece */
function joinedPart(known, piece) {
  const part = { ...known }
  for (const [name, value] of Object.entries(piece)) {
    const isStreamed = STREAMED_TEXTS.includes(name) || Array.isArray(value)
    part[name] = isStreamed ? joined(known[name], value) : (value ?? known[name])
  }
  return part
}

module.exports = { joined }
