'use strict'

// What a tool does to the world, in words.

/** @param {{ sideEffects: string, idempotent: boolean }} tool */
function effectOf({ sideEffects, idempotent }) {
  if (sideEffects === 'none') return 'none'
  if (sideEffects === 'read_only') return 'reads'
  return idempotent ? 'writes, idempotent' : 'writes'
}

/** `yes`, `no`, or `some` where a schema of the arguments decides. */
function confirmationOf({ requiresConfirmation, confirmation }) {
  if (!requiresConfirmation) return 'no'
  return confirmation?.when === undefined || confirmation.when === null ? 'yes' : 'some calls'
}

module.exports = { confirmationOf, effectOf }
