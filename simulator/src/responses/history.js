// Converts a conversation's items to a history.

import { jsonOrText } from '../parse-json.js'

/**
 * @param {any[]} items validated
 * @returns {import('../scenario/next-step.js').HistoryEntry[]} calls without a result between them were made together
 */
export function readHistory(items) {
  const entries = []
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

function entryOf(item) {
  if (item.type === 'function_call') return { kind: 'calls', calls: [{ id: item.call_id, name: item.name }] }
  if (item.type === 'function_call_output')
    return { kind: 'result', id: item.call_id, value: jsonOrText(textOf(item.output)) }
  return item.role === 'user' ? { kind: 'user', text: textOf(item.content) } : { kind: 'other' }
}

function textOf(content) {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')
}
