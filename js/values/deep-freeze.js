'use strict'

/** Freezes a JSON value recursively. @template T @param {T} value @returns {Readonly<T>} the same value */
function deepFreeze(value) {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze)
    Object.freeze(value)
  }
  return value
}

module.exports = { deepFreeze }
