// A call that was confirmed in another place, of which this process knows the outcome alone: its client gets that as a result.

/** @typedef {import('toolgate').ToolResponse} ToolResponse */

/** @type {Record<string, string>} */
const WHY = {
  failed: 'it was confirmed in another place and did not succeed',
  unknown: 'it was confirmed and started, and whether it took effect is not known; it is not run again',
}

/** @param {ToolResponse} response @returns {import('../voice-types.js').JsonObject} of its error; empty if it has none */
export const detailsOf = response => /** @type {any} */ (response.ok ? undefined : response.error.details) ?? {}

/** @param {ToolResponse} used the refusal of a confirmation that was used @returns {ToolResponse} */
export function outcomeResponse(used) {
  const { intents, meta } = used
  const { outcome } = detailsOf(used)
  if (outcome === 'committed') return { ok: true, data: undefined, intents, meta }
  if (outcome === 'running') return { ok: true, data: undefined, intents, meta: { ...meta, pending: true } }
  const partialSideEffects = outcome !== 'not_recorded'
  const message = WHY[String(outcome)] ?? 'it was confirmed in another place, and has no record of its outcome'
  const error = {
    type: /** @type {const} */ ('CONFLICT'),
    message,
    retryable: false,
    partialSideEffects,
    details: { outcome },
  }
  return { ok: false, error, intents, meta }
}
