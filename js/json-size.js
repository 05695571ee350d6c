'use strict'

// A lower bound of the size of a value's JSON text, counted without writing it: writing a result of hundreds of
// megabytes would stop the event loop for seconds.

/** The deepest level that is counted. The core refuses deeper results. */
const MAX_DEPTH = 512

/**
 * True if the value's JSON text is certainly longer than `maxBytes`. Counting ends as soon as that is known. Values that
 * JSON changes (with `toJSON`) are not counted: their text must be measured once it is written. Never throws.
 * @param {unknown} value
 * @param {number} maxBytes
 */
function exceedsJsonSize(value, maxBytes) {
  try {
    return remainingBytes(value, maxBytes, 0) < 0
  } catch {
    // A getter or a proxy that throws, or a value that is nested too deeply: serialization names the fault.
    return false
  }
}

/**
 * The rest of `remaining` after the value; negative if there is none.
 * @param {unknown} value
 * @param {number} remaining
 * @param {number} depth
 * @returns {number}
 */
function remainingBytes(value, remaining, depth) {
  if (typeof value === 'string') return remaining - value.length - 2
  if (typeof value !== 'object' || value === null) return remaining - 1
  if (depth > MAX_DEPTH) throw new RangeError('nested too deeply')
  // As JSON, each byte is at least a digit and a comma, also of a Buffer, although it has `toJSON`.
  if (ArrayBuffer.isView(value)) return remaining - 2 * value.byteLength
  if (typeof (/** @type {{ toJSON?: unknown }} */ (value).toJSON) === 'function') return remaining - 1
  // JSON writes what the wrapper holds.
  if (value instanceof String) return remaining - value.length - 2
  return Array.isArray(value)
    ? remainingAfterElements(value, remaining - 2, depth)
    : remainingAfterMembers(/** @type {Record<string, unknown>} */ (value), remaining - 2, depth)
}

/** @param {unknown[]} elements @param {number} remaining @param {number} depth */
function remainingAfterElements(elements, remaining, depth) {
  // An element takes a digit and a comma at least.
  if (2 * elements.length > remaining + 1) return -1
  for (let index = 0; index < elements.length && remaining >= 0; index += 1) {
    remaining = remainingBytes(elements[index], remaining, depth + 1) - (index === 0 ? 0 : 1)
  }
  return remaining
}

/** @param {Record<string, unknown>} members @param {number} remaining @param {number} depth */
function remainingAfterMembers(members, remaining, depth) {
  for (const name in members) {
    if (remaining < 0) break
    if (!Object.hasOwn(members, name)) continue
    const member = members[name]
    // JSON leaves these out.
    if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue
    remaining = remainingBytes(member, remaining - name.length - 3, depth + 1)
  }
  return remaining
}

module.exports = { exceedsJsonSize }
