'use strict'

// The difference of two definitions, for a person who decides about it: each value that differs, on a line of its own.

const native = require('../../../native.js')

/** The longest value that is shown, in characters. */
const MAX_VALUE = 400

/**
 * @param {unknown} was undefined for a new definition
 * @param {unknown} is undefined for one that is gone
 * @returns {string[]} lines, each with `-` or `+` first
 */
function differences(was, is) {
  const [before, after] = [leaves(was), leaves(is)]
  const places = [...new Set([...before.keys(), ...after.keys()])].sort()
  return places.flatMap(place => {
    const [old, now] = [before.get(place), after.get(place)]
    if (old === now) return []
    return [
      ...(old === undefined ? [] : [line('-', place, old)]),
      ...(now === undefined ? [] : [line('+', place, now)]),
    ]
  })
}

/** JSON Pointer → the JSON text of each value without members. @param {unknown} value @param {string} [at] @param {Map<string, string>} [found] */
function leaves(value, at = '', found = new Map()) {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (value !== undefined && members.length === 0) found.set(at, JSON.stringify(value))
  for (const [name, member] of members)
    leaves(member, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, found)
  return found
}

/** @param {string} sign @param {string} place @param {string} value JSON text */
function line(sign, place, value) {
  const short = value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}… (${value.length} characters)` : value
  // What is invisible is what an approver must see.
  return `${sign} ${visible(place) || '/'}: ${visible(short)}`
}

/** Text with an escape for each character that is not seen. @param {string} text */
const visible = text =>
  text.replace(new RegExp(native.hiddenCharacters(), 'gu'), letter =>
    [...Array(letter.length).keys()].map(at => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  )

module.exports = { differences }
