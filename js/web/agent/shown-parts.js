'use strict'

// The parts of an answer as its page gets them. What a model writes as a sensitive argument is for the handler alone.

/**
 * @typedef {import('./ui-stream.js').StreamPart} StreamPart
 * @typedef {import('toolgate').Session} Session
 */

/**
 * Shows a part; null for one that can't be masked: a piece of the text of arguments.
 * @param {Session} session @param {Pick<import('toolgate').ToolRegistry, 'tools'>} registry @returns {(part: StreamPart) => StreamPart | null}
 */
function shownParts(session, { tools }) {
  /** The calls whose arguments may have sensitive values. @type {Set<unknown>} */
  const sensitive = new Set()
  return part => {
    const { type, toolCallId, toolName, input } = part
    if (!type.startsWith('tool-input-')) return part
    if (tools.get(String(toolName))?.sensitiveArguments !== undefined) sensitive.add(toolCallId)
    if (!sensitive.has(toolCallId)) return part
    if (type === 'tool-input-delta') return null
    return 'input' in part ? { ...part, input: session.showArguments(String(toolName), input)?.args ?? {} } : part
  }
}

module.exports = { shownParts }
