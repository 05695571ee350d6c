'use strict'

// A tool's side effects and confirmation rule as text.

/** @param {{ sideEffects: string, idempotent: boolean }} tool */
function effectOf({ sideEffects, idempotent }) {
  if (sideEffects === 'none') return 'none'
  if (sideEffects === 'read_only') return 'reads'
  return idempotent ? 'writes, idempotent' : 'writes'
}

/**
 * `yes`, `no`, or `some calls` if a schema of the arguments decides.
 * @param {Pick<import('../shared-types.js').ArtifactTool, 'requiresConfirmation' | 'confirmation'>} tool
 */
function confirmationOf({ requiresConfirmation, confirmation }) {
  if (!requiresConfirmation) return 'no'
  return confirmation?.when === undefined || confirmation.when === null ? 'yes' : 'some calls'
}

module.exports = { confirmationOf, effectOf }
