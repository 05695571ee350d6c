// What networks, gateways and buggy servers do to events: lost, doubled, out of order, cut, mixed, mislabelled.
import { interleaved } from './conversation.mjs'

/**
 * @typedef {import('./conversation.mjs').WireEvent} WireEvent
 * @typedef {import('../../../fuzz/random.cjs').Random} Random
 */

/** Members that say to which message, item or call a frame belongs. @type {Record<string, string[]>} */
const LABELS = {
  chat: ['id', 'index'],
  anthropic: ['id', 'index'],
  responses: ['id', 'item_id', 'output_index', 'call_id'],
  realtime: ['id', 'item_id', 'output_index', 'call_id', 'response_id'],
  gemini: ['id'],
}
/** @type {Record<string, any>} */
const ERRORS = {
  chat: { error: { message: 'upstream timed out', code: 504 } },
  anthropic: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  responses: { type: 'error', code: 'server_error', message: 'failed' },
  realtime: { type: 'error', error: { type: 'invalid_request_error', message: 'refused' } },
  gemini: { serverContent: { interrupted: true } },
}
/** @type {Record<string, string[]>} */
const REASONS = {
  chat: ['length', 'content_filter', 'stop', 'tool_calls', 'abort', 'word_of_tomorrow'],
  anthropic: ['max_tokens', 'refusal', 'end_turn', 'tool_use', 'pause_turn', 'word_of_tomorrow'],
  responses: ['incomplete', 'failed', 'cancelled', 'word_of_tomorrow'],
  realtime: ['incomplete', 'failed', 'cancelled', 'word_of_tomorrow'],
  gemini: ['any'],
}
/** Values that are no label, and one that no other frame has. */
const ODD = [undefined, '', null, 'odd_7', 99]
const CONSTANT = [undefined, '', null, 'same', 0, '__proto__', String]

/**
 * The events of a connection, changed.
 * @param {Random} random
 * @param {string} protocol
 * @param {WireEvent[][]} messages
 * @returns {WireEvent[]}
 */
export function mutated(random, protocol, messages) {
  let events = structuredClone(random.chance(0.1) ? interleaved(random, messages) : joined(random, messages))
  for (let left = random.pick([0, 1, 1, 1, 2, 2, 3, 5]); left > 0 && events.length > 0; left -= 1)
    events = random.pick(KINDS)(random, events, protocol)
  for (const event of events) event.form ??= random.pick(['object', 'object', 'text', 'bytes'])
  return events
}

/** One message after the other, or the beginning of one and the end of the next. @param {Random} random @param {WireEvent[][]} messages */
function joined(random, messages) {
  if (messages.length < 2 || !random.chance(0.2)) return messages.flat()
  const [first, second, ...others] = messages
  const head = first.slice(0, random.below(first.length + 1))
  return [...head, ...second.slice(random.pick([0, 0, 1, random.below(second.length + 1)])), ...others.flat()]
}

/** @type {((random: Random, events: WireEvent[], protocol: string) => WireEvent[])[]} */
const KINDS = [
  function drop(random, events) {
    return events.toSpliced(random.below(events.length), random.pick([1, 1, 1, 2, 4]))
  },
  function double(random, events) {
    const at = random.below(events.length)
    const copies = events.slice(at, at + random.pick([1, 1, 2, events.length]))
    return events.toSpliced(random.chance(0.7) ? at : random.below(events.length + 1), 0, ...structuredClone(copies))
  },
  function move(random, events) {
    const from = random.below(events.length)
    const rest = events.toSpliced(from, 1)
    return rest.toSpliced(random.below(rest.length + 1), 0, events[from])
  },
  function swap(random, events) {
    const at = random.below(events.length)
    return [...events.slice(0, at), ...events.slice(at, at + 2).reverse(), ...events.slice(at + 2)]
  },
  function truncate(random, events) {
    return events.slice(0, random.below(events.length + 1))
  },
  function fail(random, events, protocol) {
    const error = { frame: ERRORS[protocol], facts: [{ kind: /** @type {const} */ ('error') }] }
    return events.toSpliced(random.below(events.length + 1), 0, error)
  },
  function cut(random, events) {
    const at = random.below(events.length)
    return events.with(at, { ...events[at], facts: [], form: 'cut' })
  },
  function reason(random, events, protocol) {
    const ends = events.filter(({ facts }) => facts.some(({ kind }) => kind === 'reason'))
    if (ends.length > 0) setReason(random.pick(ends), random.pick(REASONS[protocol]))
    return events
  },
  function oneLabel(random, events, protocol) {
    const [name, value] = [random.pick(LABELS[protocol]), random.pick(ODD)]
    relabel(random.pick(events).frame, name, () => value)
    return events
  },
  function allLabels(random, events, protocol) {
    const [name, value] = [random.pick(LABELS[protocol]), random.pick(CONSTANT)]
    for (const { frame } of events) relabel(frame, name, known => (value === String ? String(known) : value))
    return events
  },
  function otherChoice(random, events, protocol) {
    if (protocol !== 'chat') return events
    const { frame } = random.pick(events)
    const other = { id: 'call_other', type: 'function', function: { name: 'other_choice', arguments: '{"other":1}' } }
    const member = frame.choices?.[0]?.message === undefined ? 'delta' : 'message'
    frame.choices?.push({ index: random.pick([1, 1, 2, '1']), [member]: { tool_calls: [other] }, finish_reason: null })
    return events
  },
]

/** @param {WireEvent} event @param {string} word */
function setReason({ frame, facts }, word) {
  for (const fact of facts) if (fact.kind === 'reason') fact.word = word
  const choice = frame.choices?.[0]
  if (choice !== undefined) choice.finish_reason = word
  else if (frame.delta?.stop_reason !== undefined) frame.delta.stop_reason = word
  else if (frame.stop_reason !== undefined) frame.stop_reason = word
  else if (frame.item?.status !== undefined) frame.item.status = word
  else if (frame.response?.status !== undefined) frame.response.status = word
  else if (frame.status !== undefined) frame.status = word
  else for (const fact of facts) if (fact.kind === 'reason') fact.word = 'bare'
}

/** @param {any} value @param {string} name @param {(known: unknown) => unknown} change */
function relabel(value, name, change) {
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, name) && !Object.hasOwn(value, 'finish_reason')) {
    const changed = change(value[name])
    if (changed === undefined) delete value[name]
    else value[name] = changed
  }
  for (const member of Object.values(value)) relabel(member, name, change)
}
