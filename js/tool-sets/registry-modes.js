'use strict'

// The modes that a host has set for a registry, for what describes them.

/** @typedef {Record<string, import('../../index.js').ModePolicy>} Modes */

/** @type {WeakMap<object, Modes>} */
const modes = new WeakMap()

/** @param {object} registry @param {Modes} [own] */
const keepModes = (registry, own = {}) => void modes.set(registry, own)

/** @param {object} registry @returns {Modes} those of the host; a mode or member that is missing is the built-in one */
const modesOf = registry => modes.get(registry) ?? {}

module.exports = { keepModes, modesOf }
