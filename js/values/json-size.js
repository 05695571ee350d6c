'use strict'

// A lower bound of the size of a value's JSON text, counted without writing it: writing a result of hundreds of
// megabytes would stop the event loop for seconds. The same walk notes whether JSON would lose a part of the value.

const { lossOfObject } = require('./json-loss.js')

/** The deepest level that is counted. The core refuses deeper results. */
const MAX_DEPTH = 512

/**
 * `isTooLarge`: as `exceedsJsonSize`; `isLossy`: JSON writes a part of what was counted as something else (`json-loss.js`).
 * @typedef {{ isTooLarge: boolean, isLossy: boolean }} JsonEstimate
 */

/**
 * True if the value's JSON text is certainly longer than `maxBytes`. Counting ends as soon as that is known. Values that
 * JSON changes (with `toJSON`) are not counted: their text must be measured once it is written. Never throws.
 * @param {unknown} value
 * @param {number} maxBytes
 */
const exceedsJsonSize = (value, maxBytes) => jsonEstimate(value, maxBytes).isTooLarge

/**
 * @param {unknown} value
 * @param {number} maxBytes
 * @returns {JsonEstimate}
 */
function jsonEstimate(value, maxBytes) {
  /** @type {JsonEstimate} */
  const estimate = { isTooLarge: false, isLossy: false }
  try {
    estimate.isTooLarge = remainingBytes(value, maxBytes, 0, estimate) < 0
  } catch {
    // A getter or a proxy that throws, or a value that is nested too deeply: serialization names the fault.
  }
  return estimate
}

/**
 * The rest of `remaining` after the value; negative if there is none.
 * @param {unknown} value
 * @param {number} remaining
 * @param {number} depth
 * @param {JsonEstimate} estimate
 * @returns {number}
 */
function remainingBytes(value, remaining, depth, estimate) {
  if (typeof value === 'string') return remaining - value.length - 2
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'number' && !Number.isFinite(value)) estimate.isLossy = true
    return remaining - 1
  }
  if (depth > MAX_DEPTH) throw new RangeError('nested too deeply')
  const prototype = Object.getPrototypeOf(value)
  // Most objects are plain.
  if (prototype !== Object.prototype && prototype !== Array.prototype && lossOfObject(value) !== null)
    estimate.isLossy = true
  // As JSON, each byte is at least a digit and a comma, also of a Buffer, although it has `toJSON`.
  if (ArrayBuffer.isView(value)) return remaining - 2 * value.byteLength
  if (typeof (/** @type {{ toJSON?: unknown }} */ (value).toJSON) === 'function') return remaining - 1
  // JSON writes what the wrapper holds.
  if (value instanceof String) return remaining - value.length - 2
  return Array.isArray(value)
    ? remainingAfterElements(value, remaining - 2, depth, estimate)
    : remainingAfterMembers(/** @type {Record<string, unknown>} */ (value), remaining - 2, depth, estimate)
}

/** @param {unknown[]} elements @param {number} remaining @param {number} depth @param {JsonEstimate} estimate */
function remainingAfterElements(elements, remaining, depth, estimate) {
  // An element takes a digit and a comma at least.
  if (2 * elements.length > remaining + 1) return -1
  for (let index = 0; index < elements.length && remaining >= 0; index += 1) {
    const element = elements[index]
    if (isOmitted(element)) estimate.isLossy = true
    remaining = remainingBytes(element, remaining, depth + 1, estimate) - (index === 0 ? 0 : 1)
  }
  return remaining
}

/** Whether JSON leaves this out as a member, and writes null for it as an element. @param {unknown} value */
const isOmitted = value => value === undefined || typeof value === 'function' || typeof value === 'symbol'

/**
 * @param {Record<string, unknown>} members
 * @param {number} remaining
 * @param {number} depth
 * @param {JsonEstimate} estimate
 */
function remainingAfterMembers(members, remaining, depth, estimate) {
  for (const name in members) {
    if (remaining < 0) break
    if (!Object.hasOwn(members, name)) continue
    const member = members[name]
    if (isOmitted(member)) continue
    remaining = remainingBytes(member, remaining - name.length - 3, depth + 1, estimate)
  }
  return remaining
}

module.exports = { exceedsJsonSize, jsonEstimate }
