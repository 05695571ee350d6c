// The answer of a call whose turn is over.

/** @typedef {import('toolgate').ToolResponse} ToolResponse */

/** What the model gets of a read whose turn is over, instead of its data. @param {ToolResponse} response */
export function asCancelled(response) {
  const isCancelled = !response.ok && response.error.type === 'CANCELLED'
  return isCancelled ? response : cancelled(response.meta)
}

/**
 * The response of a call whose turn was over before the gate answered, or whose answer is no longer of use.
 * @param {Pick<import('toolgate').ToolResponseMeta, 'toolId' | 'duration'>} meta
 * @returns {ToolResponse}
 */
export function cancelled(meta) {
  const message = 'the turn was over before it was answered: nothing was changed'
  /** @type {import('toolgate').ToolResponseError} */
  const error = {
    type: 'CANCELLED',
    message,
    retryable: false,
    partialSideEffects: false,
    details: { outcome: 'aborted' },
  }
  return { ok: false, error, intents: [], meta: /** @type {import('toolgate').ToolResponseMeta} */ (meta) }
}
