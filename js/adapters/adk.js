'use strict'

// Toolgate's tools for the Agent Development Kit (`@google/adk`): every call of an agent goes through a session. The gate's
// questions are the kit's own confirmation requests.

const { callIdOf } = require('./call-id.js')
const { ConfirmationCards } = require('./confirmation-cards.js')
const { callOrAsk, declarationsOf } = require('./gate-call.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('./gate-call.js').Declaration} Declaration
 * @typedef {import('./adk.js').AdkToolsOptions} AdkToolsOptions
 * @typedef {import('./gate-call.js').AskingGate} AskingGate
 * @typedef {{ functionCallId?: string, toolConfirmation?: { confirmed: boolean, payload?: unknown }, abortSignal?: AbortSignal,
 *   invocationContext?: object, actions: { skipSummarization?: boolean },
 *   requestConfirmation(request: { hint?: string, payload?: object }): void }} ToolContext
 */

/**
 * The tools that a session may use, for `new LlmAgent({ tools })`.
 * @param {Session} session an attached session
 * @param {AdkToolsOptions} [options]
 */
function toAdkTools(session, options = {}) {
  const { registry = session.registry, onToolResponse, approvals = !onToolResponse } = options
  // Loaded here: the kit is an optional peer.
  const { BaseTool } = /** @type {(id: string) => any} */ (require)('@google/adk')
  const GateTool = gateToolOf(BaseTool)
  const gate = { session, registry, onToolResponse, approvals, cards: new ConfirmationCards() }
  return declarationsOf(session, options).map(declaration => new GateTool(gate, declaration))
}

/** @param {new (fields: any) => any} BaseTool */
const gateToolOf = BaseTool =>
  class GateTool extends BaseTool {
    #gate
    #declaration

    /** @param {AskingGate} gate @param {Declaration} declaration */
    constructor(gate, declaration) {
      super({ name: declaration.name, description: declaration.description })
      this.#gate = gate
      this.#declaration = declaration
    }

    _getDeclaration() {
      const { name, description, parameters } = this.#declaration
      return { name, description, parametersJsonSchema: parameters }
    }

    // An approval of a call that the gate did not ask about reaches the gate, which runs nothing.
    async checkRequireConfirmation() {
      return this.#gate.approvals
    }

    /** @param {{ args: Record<string, unknown>, toolContext: ToolContext }} request */
    runAsync({ args, toolContext }) {
      return invoke(this.#gate, { id: toolContext.functionCallId, name: this.#declaration.name, args }, toolContext)
    }
  }

/**
 * @param {AskingGate} gate
 * @param {{ id?: string, name: string, args: any }} call
 * @param {ToolContext} context
 */
async function invoke(gate, { id, name, args }, context) {
  const { confirmed: approved, payload } = context.toolConfirmation ?? {}
  const { nonce: given, args: edited } = /** @type {Record<string, unknown>} */ (payload ?? {})
  const asking = { ...gate, approvals: gate.approvals && Boolean(id) }
  const { answer, request, nonce } = await callOrAsk(
    asking,
    { id: callIdOf(id), name, args },
    {
      signal: context.abortSignal,
      // A model can write a confirmation request, with a hint of its own, about a call that waits: the payload is ours.
      reply: { nonce: given, approved, args: edited },
      message: context.invocationContext,
    },
  )
  if (request !== undefined) {
    context.requestConfirmation({ hint: request.preview, payload: { nonce } })
    context.actions.skipSummarization = true
  }
  return answer
}

module.exports = { toAdkTools }
