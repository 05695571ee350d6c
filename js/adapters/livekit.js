'use strict'

// Toolgate's tools for LiveKit Agents (`@livekit/agents`): every call of an agent goes through a session.

const { declarationsOf } = require('./gate-call.js')
const { wrapToolCall } = require('./tool-call.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('./livekit.js').LiveKitToolsOptions} LiveKitToolsOptions
 * @typedef {{ toolCallId: string, abortSignal?: AbortSignal }} LiveKitContext
 */

/**
 * The tools that a session may use, for `new voice.Agent({ tools })`.
 * @param {Session} session an attached session
 * @param {LiveKitToolsOptions} options
 */
function toLiveKitTools(session, options) {
  // Given, not loaded: LiveKit knows its tools by symbols of the module that made them, and its CommonJS and ES modules have
  // symbols of their own.
  const { tool } = options
  const makeCall = wrapToolCall(session, options)
  return declarationsOf(session, options).map(({ name, description, parameters }) =>
    tool({
      name,
      description,
      parameters,
      execute: (/** @type {any} */ args, /** @type {LiveKitContext} */ { toolCallId: id, abortSignal: signal }) =>
        makeCall({ id, name, args, signal }),
    }),
  )
}

module.exports = { toLiveKitTools }
