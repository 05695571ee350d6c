// Converts a request's messages to a history.

import { jsonOrText } from '../parse-json.js'

/**
 * @param {any[]} messages validated
 * @returns {import('../scenario/next-step.js').HistoryEntry[]} a message with only results is no utterance
 */
export function readHistory(messages) {
  return messages.flatMap(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    const calls = blocks.flatMap(({ type, id, name }) => (type === 'tool_use' ? [{ id, name }] : []))
    if (role === 'assistant') return calls.length > 0 ? [{ kind: 'calls', calls }] : [{ kind: 'other' }]
    const results = blocks.filter(({ type }) => type === 'tool_result').map(resultOf)
    const said = blocks.filter(({ type }) => type !== 'tool_result')
    return said.length === 0 ? results : [...results, { kind: 'user', text: textOf(said) }]
  })
}

function resultOf({ tool_use_id: id, content = '' }) {
  return { kind: 'result', id, value: jsonOrText(typeof content === 'string' ? content : textOf(content)) }
}

function textOf(blocks) {
  return blocks.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
}
