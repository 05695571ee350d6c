'use strict'

// Compares what a server publishes with the lock, by the SHA-256 of the canonical JSON (RFC 8785) of each definition.

const { digestOf } = require('./digest.js')

/** @typedef {import('./types.js').DriftReason} DriftReason */
/** @typedef {Map<string, DriftReason>} Drift what is unavailable, by published name */

/**
 * Tools that the lock does not have are ignored: no user accepted them.
 * @param {Map<string, import('./types.js').PublishedTool>} listed
 * @param {import('./types.js').LockedSource} locked
 * @returns {Drift}
 */
function driftFrom(listed, locked) {
  /** @type {Drift} */
  const drift = new Map()
  for (const [name, { sha256 }] of Object.entries(locked.tools)) {
    const definition = listed.get(name)
    if (definition === undefined) drift.set(name, 'definition_gone')
    else if (!hasSha256(definition, sha256)) drift.set(name, 'definition_changed')
  }
  return drift
}

/** @param {import('./types.js').PublishedTool} definition @param {string} sha256 */
function hasSha256(definition, sha256) {
  try {
    return digestOf(definition) === sha256
  } catch {
    return false
  }
}

/**
 * What is unavailable on all of a source's connections: a changed definition on one is a sign of an attack, but a tool that
 * one user does not see may be there for the others.
 * @param {Drift[]} drifts of each connection
 * @returns {Drift}
 */
function mergedDrift(drifts) {
  const names = new Set(drifts.flatMap(drift => [...drift.keys()]))
  /** @type {Drift} */
  const merged = new Map()
  for (const name of [...names].sort()) {
    if (drifts.some(drift => drift.get(name) === 'definition_changed')) merged.set(name, 'definition_changed')
    else if (drifts.every(drift => drift.has(name))) merged.set(name, 'definition_gone')
  }
  return merged
}

/** @param {Drift} one @param {Drift} other */
function isSameDrift(one, other) {
  return one.size === other.size && [...one].every(([name, reason]) => other.get(name) === reason)
}

module.exports = { driftFrom, isSameDrift, mergedDrift }
