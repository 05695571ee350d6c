'use strict'

// The modes of a host: their names, and those that it has set for a registry, for what describes them.

/** @typedef {Record<string, import('../../index.js').ModePolicy>} Modes */

/**
 * Metrics have rows for what is no mode: `total`, and names in parentheses, such as `(none)`.
 * @param {unknown} names what is no list of names is refused elsewhere
 * @throws {TypeError} if one of them is such a row's
 */
function checkModeNames(names) {
  const taken = Array.isArray(names) ? names.find(name => /^(total$|\()/.test(name)) : undefined
  if (taken !== undefined) throw new TypeError(`a mode can't be named \`${taken}\`: metrics have a row of that name`)
}

/** @type {WeakMap<object, Modes>} */
const modes = new WeakMap()

/** @param {object} registry @param {Modes} [own] */
const keepModes = (registry, own = {}) => void modes.set(registry, own)

/** @param {object} registry @returns {Modes} those of the host; a mode or member that is missing is the built-in one */
const modesOf = registry => modes.get(registry) ?? {}

module.exports = { checkModeNames, keepModes, modesOf }
