'use strict'

/**
 * A generator of whole numbers from 0 up to, and without, the bound that it is called with: the same ones for a seed.
 * @param {number} seed
 */
function randomNumbers(seed) {
  let state = seed
  return (/** @type {number} */ bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

module.exports = { randomNumbers }
