'use strict'

// Toolgate's tools for Genkit (`genkit`): every call of a model goes through a session. The gate's questions are Genkit's
// interrupts, and a restarted call brings the user's reply.

const { randomUUID } = require('node:crypto')
const { ConfirmationCards } = require('./confirmation-cards.js')
const { callOrAsk, declarationsOf } = require('./gate-call.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./gate-call.js').AskingGate} AskingGate
 * @typedef {import('./genkit.js').GenkitToolsOptions} GenkitToolsOptions
 * @typedef {{ metadata?: { interrupt?: { callId?: unknown, nonce?: unknown } }, resumed?: unknown, abortSignal?: AbortSignal,
 *   interrupt(metadata: object): never }} ToolContext
 */

/**
 * The tools that a session may use, for `ai.generate({ tools })`.
 * @param {Session} session an attached session
 * @param {GenkitToolsOptions} [options]
 */
function toGenkitTools(session, options = {}) {
  const { registry = session.registry, onToolResponse, approvals = !onToolResponse, signal } = options
  // Loaded here: Genkit is an optional peer.
  const { tool } = /** @type {(id: string) => any} */ (require)('genkit')
  const gate = { session, registry, onToolResponse, approvals, cards: new ConfirmationCards() }
  return declarationsOf(session, options).map(({ name, description, parameters }) => {
    const action = tool({ name, description }, (/** @type {unknown} */ args, /** @type {ToolContext} */ context) =>
      invoke(gate, name, args, context, signal ?? context.abortSignal),
    )
    // Declared to the model, but not among the fields that Genkit validates by: the gate's answer helps the model.
    action.__action.inputJsonSchema = parameters
    return action
  })
}

/**
 * @param {AskingGate} gate
 * @param {string} name
 * @param {any} args
 * @param {ToolContext} context
 * @param {AbortSignal} [signal]
 * @returns {Promise<ToolResponse>}
 * @throws Genkit's interrupt, if the user is asked
 */
async function invoke(gate, name, args, { metadata, resumed, interrupt }, signal) {
  const { callId, nonce: given } = metadata?.interrupt ?? {}
  const isRestart = typeof callId === 'string'
  // Genkit hands a tool no id of the model's call. The interrupt carries one of the adapter's own, so that a late reply
  // finds the call. A call that asks nothing has an id that the gate takes for a temporary one by its name: equal calls
  // of a turn are one call.
  const call = { id: isRestart ? callId : `genkit-${randomUUID()}`, name, args }
  const reply = isRestart ? { .../** @type {object} */ (resumed), nonce: given } : undefined
  const { answer, request, nonce } = await callOrAsk(gate, call, {
    signal,
    reply,
    message: gate,
    unasked: isRestart ? call : { ...call, id: `temp_${randomUUID()}` },
  })
  // Genkit fails if a restarted call is interrupted again: without a decision its answer is CONFIRMATION_REQUIRED.
  return request === undefined || isRestart ? answer : interrupt({ callId: call.id, nonce, name, request })
}

module.exports = { toGenkitTools }
