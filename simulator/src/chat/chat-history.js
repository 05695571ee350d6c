// Converts a request's messages to a history: Chat Completions keeps no state between requests.

import { textOfContent } from '../content-text.js'
import { jsonOrText } from '../parse-json.js'

/** @import { JsonObject } from '../parse-json.js' */

/**
 * @param {JsonObject[]} messages validated
 * @returns {import('../scenario/next-step.js').HistoryEntry[]}
 */
export function readHistory(messages) {
  return messages.map(({ role, content, tool_calls: calls, tool_call_id: id }) => {
    if (role === 'user') return { kind: 'user', text: textOfContent(content) }
    if (role === 'tool') return { kind: 'result', id, value: jsonOrText(textOfContent(content)) }
    if (calls === undefined) return { kind: 'other' }
    return {
      kind: 'calls',
      calls: calls.map((/** @type {JsonObject} */ call) => ({ id: call.id, name: call.function?.name })),
    }
  })
}

/** The instructions among the messages. @param {JsonObject[]} messages */
export function systemTexts(messages) {
  return messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => textOfContent(content))
}
