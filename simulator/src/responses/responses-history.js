// Converts a conversation's items to a history.

import { textOfContent } from '../content-text.js'
import { jsonOrText } from '../parse-json.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { CallsEntry, HistoryEntry } from '../scenario/next-step.js'
 */

/**
 * @param {JsonObject[]} items validated
 * @returns {HistoryEntry[]} calls without a result between them were made together
 */
export function readHistory(items) {
  /** @type {HistoryEntry[]} */
  const entries = []
  /** @type {CallsEntry | null} */
  let group = null
  for (const item of items) {
    const entry = entryOf(item)
    if (entry.kind === 'calls' && group !== null) {
      group.calls.push(...entry.calls)
      continue
    }
    entries.push(entry)
    if (entry.kind !== 'other') group = entry.kind === 'calls' ? entry : null
  }
  return entries
}

/** The instructions among a conversation's items. @param {JsonObject[]} items */
export function systemTexts(items) {
  return items
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => textOfContent(content))
}

/** @param {JsonObject} item @returns {HistoryEntry} */
function entryOf(item) {
  if (item.type === 'function_call') return { kind: 'calls', calls: [{ id: item.call_id, name: item.name }] }
  if (item.type === 'function_call_output')
    return { kind: 'result', id: item.call_id, value: jsonOrText(textOfContent(item.output)) }
  return item.role === 'user' ? { kind: 'user', text: textOfContent(item.content) } : { kind: 'other' }
}
