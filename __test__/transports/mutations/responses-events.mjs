// The Responses API as its reference of streaming events describes it, and Realtime, whose items have the same form.
import { interleaved, pieces } from './conversation.mjs'

/**
 * @typedef {import('./conversation.mjs').WireEvent} WireEvent
 * @typedef {import('./conversation.mjs').Call} Call
 * @typedef {import('../../../fuzz/random.cjs').Random} Random
 */

/** @param {Call} call @param {object} [changes] */
const itemOf = (call, changes) => ({
  type: 'function_call',
  id: call.item,
  call_id: call.id,
  name: call.name,
  arguments: call.args,
  status: 'completed',
  ...changes,
})

/** @param {Random} random @param {import('./conversation.mjs').Message[]} messages @returns {WireEvent[][]} of each response */
export function responsesEvents(random, messages) {
  const style = {
    isWhole: random.chance(0.2),
    listsOutput: random.chance(0.7),
    doneHasArguments: random.chance(0.8),
    isInterleaved: random.chance(0.3),
    isNumbered: random.chance(0.5),
  }
  return messages.map(message => (style.isWhole ? [wholeResponse(message)] : streamedResponse(random, message, style)))
}

/** @param {Call[]} calls @returns {import('./conversation.mjs').Fact[]} */
const listed = calls => calls.map(call => ({ kind: 'listed', call, text: call.args }))

/** @param {import('./conversation.mjs').Message} message @returns {WireEvent} */
function wholeResponse({ id, calls }) {
  return {
    frame: { id, object: 'response', status: 'completed', output: calls.map(call => itemOf(call)) },
    facts: [{ kind: 'begin' }, ...listed(calls), { kind: 'reason', word: 'completed' }, { kind: 'end' }],
  }
}

/** @param {Random} random @param {import('./conversation.mjs').Message} message @param {any} style @returns {WireEvent[]} */
function streamedResponse(random, { id, calls, text }, style) {
  const first = text === '' ? 0 : 1
  const response = (/** @type {string} */ status, /** @type {any[]} */ output) => ({
    id,
    object: 'response',
    status,
    output,
  })
  const output = style.listsOutput ? [...(first ? [messageItem(text)] : []), ...calls.map(call => itemOf(call))] : []
  const lists = calls.map((call, at) => callEvents(random, call, { output_index: first + at }, style))
  const events = [
    {
      frame: { type: 'response.created', response: response('in_progress', []) },
      facts: [{ kind: 'begin' }],
    },
    ...(first
      ? [{ frame: { type: 'response.output_item.done', output_index: 0, item: messageItem(text) }, facts: [] }]
      : []),
    ...(style.isInterleaved ? interleaved(random, lists) : lists.flat()),
    {
      frame: { type: 'response.completed', response: response('completed', output) },
      facts: [...(style.listsOutput ? listed(calls) : []), { kind: 'reason', word: 'completed' }, { kind: 'end' }],
    },
  ]
  if (style.isNumbered) for (const [at, { frame }] of events.entries()) frame.sequence_number = at
  return events
}

/** @param {string} text */
const messageItem = text => ({
  type: 'message',
  id: 'msg_text',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})

/** @param {Random} random @param {Call} call @param {object} place @param {any} style @returns {WireEvent[]} */
function callEvents(random, call, place, style) {
  const labels = { ...place, item_id: call.item }
  const done = itemOf(call, style.doneHasArguments ? {} : { arguments: '' })
  return [
    {
      frame: {
        type: 'response.output_item.added',
        ...place,
        item: itemOf(call, { arguments: '', status: 'in_progress' }),
      },
      facts: [{ kind: 'named', call }],
    },
    ...pieces(random, call.args).map(delta => ({
      frame: { type: 'response.function_call_arguments.delta', ...labels, delta },
      facts: [{ kind: /** @type {const} */ ('piece'), call, text: delta }],
    })),
    {
      frame: { type: 'response.function_call_arguments.done', ...labels, arguments: call.args },
      facts: [{ kind: 'whole', call, text: call.args }],
    },
    {
      frame: { type: 'response.output_item.done', ...place, item: done },
      facts: [
        { kind: 'named', call },
        style.doneHasArguments ? { kind: 'whole', call, text: call.args } : { kind: 'piece', call, text: '' },
        { kind: 'reason', call, word: 'completed' },
      ],
    },
  ]
}

/** @param {Random} random @param {import('./conversation.mjs').Message[]} messages @returns {WireEvent[][]} of each response */
export function realtimeEvents(random, messages) {
  const style = {
    listsOutput: random.chance(0.7),
    doneHasArguments: random.chance(0.8),
    isInterleaved: random.chance(0.3),
  }
  return messages.map(({ id, calls }) => {
    const lists = calls.map((call, at) =>
      callEvents(random, call, { response_id: id, output_index: at, call_id: call.id }, style),
    )
    const output = style.listsOutput ? calls.map(call => itemOf(call)) : []
    return [
      {
        frame: { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
        facts: [{ kind: 'begin' }],
      },
      ...(style.isInterleaved ? interleaved(random, lists) : lists.flat()),
      {
        frame: { type: 'response.done', response: { id, status: 'completed', output } },
        facts: [...(style.listsOutput ? listed(calls) : []), { kind: 'reason', word: 'completed' }, { kind: 'end' }],
      },
    ]
  })
}
