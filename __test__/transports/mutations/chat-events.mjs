// Chat Completions as its API reference and the servers that speak it send them: streamed and whole.
import { interleaved, pieces } from './conversation.mjs'

const INDEXES = ['right', 'right', 'right', 'none', 'zero', 'text']
const IDS = ['first', 'first', 'first', 'each', 'none', 'empty later', 'new each']

/** @typedef {import('./conversation.mjs').WireEvent} WireEvent */

/** @param {import('../../../fuzz/random.cjs').Random} random */
const styleOf = random => ({
  hasMessageId: random.chance(0.85),
  index: random.pick(INDEXES),
  id: random.pick(IDS),
  namesEach: random.chance(0.1),
  rolesEach: random.chance(0.1),
  isWhole: random.chance(0.2),
  isBare: random.chance(0.3),
  isInterleaved: random.chance(0.3),
  endsEach: random.chance(0.2),
})

/** @param {import('../../../fuzz/random.cjs').Random} random @param {import('./conversation.mjs').Message[]} messages @returns {WireEvent[][]} of each message */
export function chatEvents(random, messages) {
  const style = styleOf(random)
  return messages.map(message => (style.isWhole ? [whole(message, style)] : streamed(random, message, style)))
}

/** @param {any} message @param {any} style @returns {WireEvent} */
function whole({ id, calls, text }, style) {
  const toolCalls = calls.map((/** @type {any} */ { id: callId, name, args }) => ({
    ...(style.id === 'none' ? {} : { id: callId }),
    type: 'function',
    function: { name, arguments: args },
  }))
  const message = { role: 'assistant', content: text, tool_calls: toolCalls }
  const facts = [
    { kind: 'begin' },
    ...calls.map((/** @type {any} */ call) => ({ kind: 'whole', call, text: call.args })),
    { kind: 'reason', word: style.isBare ? 'bare' : 'tool_calls' },
    { kind: 'end' },
  ]
  if (style.isBare) return { frame: message, facts }
  const labels = style.hasMessageId ? { id } : {}
  return {
    frame: { ...labels, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] },
    facts,
  }
}

/** @param {import('../../../fuzz/random.cjs').Random} random @param {any} message @param {any} style @returns {WireEvent[]} */
function streamed(random, { id, calls, text }, style) {
  const labels = style.hasMessageId ? { id } : {}
  let isFirst = true
  /** @param {any} delta @param {any[]} facts @param {string | null} [finish] @returns {WireEvent} */
  const chunk = (delta, facts, finish = null) => {
    const role = isFirst || style.rolesEach ? { role: 'assistant' } : {}
    const begin = isFirst ? [{ kind: 'begin' }] : []
    isFirst = false
    const word = finish ?? (style.endsEach ? 'stop' : null)
    const choice = { index: 0, delta: { ...role, ...delta }, finish_reason: word }
    const ended = word === null ? [] : [{ kind: 'reason', word }, { kind: 'end' }]
    const frame = { ...labels, object: 'chat.completion.chunk', choices: [choice] }
    return { frame, facts: [...begin, ...facts, ...ended] }
  }
  const events = [chunk({ content: text }, [])]
  const canMix = style.isInterleaved && (style.index === 'right' || style.index === 'text' || style.id === 'each')
  const lists = calls.map((/** @type {any} */ call, /** @type {number} */ at) => deltas(random, call, at, style))
  for (const { delta, facts } of canMix ? interleaved(random, lists) : lists.flat())
    events.push(chunk({ tool_calls: [delta] }, facts))
  const word = calls.length > 0 ? 'tool_calls' : 'stop'
  events.push(chunk({}, [], word))
  return events
}

/** @param {import('../../../fuzz/random.cjs').Random} random @param {any} call @param {number} at @param {any} style */
function deltas(random, call, at, style) {
  const texts = random.chance(0.3) ? [call.args] : ['', ...pieces(random, call.args)]
  return texts.map((text, number) => {
    const isFirst = number === 0
    const name = isFirst || style.namesEach ? { name: call.name } : {}
    const delta = { ...indexOf(style, at), ...idOf(random, style, call, isFirst) }
    const facts = [{ kind: 'piece', call, text }]
    return {
      delta: { ...delta, type: 'function', function: { ...name, arguments: text } },
      facts: name.name === undefined ? facts : [{ kind: 'named', call }, ...facts],
    }
  })
}

/** @param {any} style @param {number} at */
function indexOf({ index }, at) {
  if (index === 'none') return {}
  if (index === 'zero') return { index: 0 }
  return { index: index === 'text' ? String(at) : at }
}

/** @param {import('../../../fuzz/random.cjs').Random} random @param {any} style @param {any} call @param {boolean} isFirst */
function idOf(random, { id }, call, isFirst) {
  if (id === 'none') return {}
  if (id === 'new each') return { id: `call_${random.below(2 ** 32)}abcdefgh` }
  if (isFirst || id === 'each') return { id: call.id }
  return id === 'empty later' ? { id: random.pick(['', null]) } : {}
}
