// Anthropic's Messages API as its pages on streaming and on tool use describe it: streamed and whole.
import { pieces } from './conversation.mjs'

/**
 * @typedef {import('./conversation.mjs').WireEvent} WireEvent
 * @typedef {import('../../../fuzz/random.cjs').Random} Random
 */

/** @param {Random} random @param {import('./conversation.mjs').Message[]} messages @returns {WireEvent[][]} of each message */
export function anthropicEvents(random, messages) {
  const isWhole = random.chance(0.2)
  return messages.map(message => (isWhole ? [whole(message)] : streamed(random, message)))
}

/** @param {import('./conversation.mjs').Call} call */
const toolUse = ({ id, name, args }) => ({ type: 'tool_use', id, name, input: args === '' ? {} : JSON.parse(args) })

/** @param {import('./conversation.mjs').Message} message @returns {WireEvent} */
function whole({ id, calls, text }) {
  const content = [...(text === '' ? [] : [{ type: 'text', text }]), ...calls.map(toolUse)]
  const reason = calls.length > 0 ? 'tool_use' : 'end_turn'
  return {
    frame: { id, type: 'message', role: 'assistant', content, stop_reason: reason },
    facts: [
      { kind: 'begin' },
      ...calls.map(call => ({ kind: /** @type {const} */ ('whole'), call, text: call.args })),
      { kind: 'reason', word: reason },
      { kind: 'end' },
    ],
  }
}

/** @param {Random} random @param {import('./conversation.mjs').Message} message @returns {WireEvent[]} */
function streamed(random, { id, calls, text }) {
  const begin = { id, type: 'message', role: 'assistant', content: [], stop_reason: null }
  const word = calls.length > 0 ? 'tool_use' : 'end_turn'
  const before = text === '' ? [] : textBlock(text)
  const first = before.length > 0 ? 1 : 0
  return [
    { frame: { type: 'message_start', message: begin }, facts: [{ kind: 'begin' }] },
    ...before,
    ...calls.flatMap((call, at) => callBlock(random, call, first + at)),
    { frame: { type: 'message_delta', delta: { stop_reason: word } }, facts: [{ kind: 'reason', word }] },
    { frame: { type: 'message_stop' }, facts: [{ kind: 'end' }] },
  ]
}

/** @param {string} text @returns {WireEvent[]} */
const textBlock = text => [
  { frame: { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, facts: [] },
  { frame: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, facts: [] },
  { frame: { type: 'content_block_stop', index: 0 }, facts: [] },
]

/** @param {Random} random @param {import('./conversation.mjs').Call} call @param {number} index @returns {WireEvent[]} */
function callBlock(random, call, index) {
  const deltas = ['', ...pieces(random, call.args)].map(text => ({
    frame: { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: text } },
    facts: [{ kind: /** @type {const} */ ('piece'), call, text }],
  }))
  const block = { type: 'tool_use', id: call.id, name: call.name, input: {} }
  return [
    { frame: { type: 'content_block_start', index, content_block: block }, facts: [{ kind: 'named', call }] },
    ...deltas,
    { frame: { type: 'content_block_stop', index }, facts: [] },
  ]
}
