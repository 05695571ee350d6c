// Converts a request's messages to a history.

import { textOfContent } from '../content-text.js'
import { jsonOrText } from '../parse-json.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { HistoryEntry } from '../scenario/next-step.js'
 */

/**
 * @param {JsonObject[]} messages validated
 * @returns {HistoryEntry[]} a message with only results is no utterance
 */
export function readHistory(messages) {
  return messages.flatMap(({ role, content }) => {
    /** @type {JsonObject[]} */
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    const calls = blocks.flatMap(({ type, id, name }) => (type === 'tool_use' ? [{ id, name }] : []))
    if (role === 'assistant') return calls.length > 0 ? [{ kind: 'calls', calls }] : [{ kind: 'other' }]
    const results = blocks.filter(({ type }) => type === 'tool_result').map(resultOf)
    const said = blocks.filter(({ type }) => type !== 'tool_result')
    return said.length === 0
      ? results
      : [...results, /** @type {HistoryEntry} */ ({ kind: 'user', text: textOfContent(said) })]
  })
}

/** @param {JsonObject} block @returns {HistoryEntry} */
function resultOf({ tool_use_id: id, content = '' }) {
  return { kind: 'result', id, value: jsonOrText(textOfContent(content)) }
}
