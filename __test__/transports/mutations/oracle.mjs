// Which calls may be given, by the protocols' documents. It shares no code with the readers and reads no arguments: each part of a
// call says by its fact whose it is.
//
// - Chat Completions: "each chunk in the stream has the same id"; `role` is in the first delta; `finish_reason` is null until the
//   message ends.
// - Anthropic: `message_start`, blocks, `message_delta` with the stop reason, `message_stop`; an `error` event ends the stream.
// - Responses: `response.created` begins, `response.completed` ends, with the whole output; `.done` events have whole values.
// - Realtime: `response.output_item.done` has the whole item; several responses may be open.
// - Gemini Live: a function call is whole in its message.
//
// What can't be detected, and is therefore allowed:
// 1. Arguments deltas of one call that were lost, doubled or swapped (Chat Completions and Anthropic send no checksum and no
//    sequence number): its arguments are the deltas in the order in which they came.
// 2. A message that follows another one without a boundary: no other chunk id, no role after chunks without one, no
//    `message_start` or `response.created`. Both are one message, and equal indexes are one call. Frames of Anthropic don't even
//    name their message, so two streams in one are mixed as well.
// 3. A call of Chat Completions whose beginning was lost or late, with the index of another call: its deltas are that call's.
// 4. Arguments of Chat Completions and of Realtime deltas that are no JSON, of a call whose labels were lost: they run nothing, the
//    gate refuses them.
// 5. Calls of Chat Completions with one index, or with none: a delta that is late or early can be of each of them.

/**
 * @typedef {import('./conversation.mjs').WireEvent} WireEvent
 * @typedef {import('./conversation.mjs').Call} Call
 * @typedef {{ call: Call, text: string | null, ids: Set<string> }} Allowed `text`: `null` if it can be any; `ids`: as the frames have them
 * @typedef {{ isNamed: boolean, text: string, whole: string | null, isListed: boolean, word: string | null, ids: Set<string>, index: unknown, isEarly: boolean }} Known
 */

/** @type {Record<string, string[]>} */
const COMPLETE = {
  chat: ['tool_calls', 'stop', 'function_call', 'bare'],
  anthropic: ['tool_use', 'end_turn', 'stop_sequence'],
  responses: ['completed'],
  realtime: ['completed'],
}

class Stretch {
  /** @type {Map<string, Known & { call: Call }>} by the call's mark, which mutations don't change */
  calls = new Map()
  /** @type {unknown} */
  id = null
  hasContinued = false
  /** The call that began last. @type {Call | null} */
  #latest = null
  /** Whether a delta came while another call was the last one. */
  hasStray = false
  /** @type {string | null} */
  word = null

  /** Whether it has parts of several messages. */
  get isMixed() {
    const all = [...this.calls.values()]
    const nameless = all.filter(({ isEarly }) => isEarly)
    const hasSameIndex = nameless.some(one =>
      all.some(other => other !== one && other.isNamed && other.index === one.index),
    )
    return hasSameIndex || new Set(all.map(({ call }) => call.message)).size > 1
  }

  /** @param {Call} call */
  of(call) {
    const known = this.calls.get(markOf(call))
    if (known !== undefined) return known
    const made = {
      call,
      isNamed: false,
      text: '',
      whole: null,
      isListed: false,
      word: null,
      ids: new Set(),
      index: null,
      isEarly: false,
    }
    this.calls.set(markOf(call), made)
    return made
  }

  /** @param {import('./conversation.mjs').Fact} fact @param {any} frame */
  add({ kind, call, text = '', word }, frame) {
    if (call === undefined) {
      if (kind === 'reason') this.word = word ?? null
      return
    }
    const known = this.of(call)
    for (const id of idsIn(frame, call.name)) known.ids.add(id)
    const index = frame.choices?.[0]?.delta?.tool_calls?.[0]?.index
    if (index !== undefined) known.index = String(index)
    if (kind === 'named' && !known.isNamed) this.#latest = call
    if (kind === 'piece' && text !== '') known.isEarly ||= !known.isNamed
    if (kind === 'piece') known.text += text
    if (kind === 'piece' && text !== '') this.hasStray ||= this.#latest !== call
    if (kind === 'whole' || kind === 'listed') known.whole = text
    if (kind === 'named' || kind === 'whole' || kind === 'listed') known.isNamed = true
    if (kind === 'listed') Object.assign(known, { isListed: true, word: null })
    if (kind === 'reason') known.word = word ?? null
  }
}

/** Distinguishes the calls of a conversation. @param {Call} call */
const markOf = call => call.item

/**
 * @param {string} protocol
 * @param {WireEvent[]} events as they arrive
 * @returns {Allowed[]} the readings of a whole call, in their order; the same call again if its message came again
 */
export function allowedCalls(protocol, events) {
  if (protocol === 'gemini') return geminiCalls(events)
  return protocol === 'realtime' ? realtimeCalls(events) : messageCalls(protocol, events)
}

/** @param {WireEvent[]} events */
function geminiCalls(events) {
  return events.flatMap(({ facts, frame }) =>
    facts.flatMap(({ kind, call, text = '' }) =>
      kind === 'whole' && call !== undefined ? [{ call, text, ids: new Set(idsIn(frame, call.name)) }] : [],
    ),
  )
}

/** @param {WireEvent[]} events @returns {Allowed[]} */
function realtimeCalls(events) {
  const stretch = new Stretch()
  /** @type {Allowed[]} */
  const allowed = []
  for (const { facts, frame } of events) {
    for (const fact of facts) stretch.add(fact, frame)
    const ended = facts.find(({ kind, call }) => kind === 'reason' && call !== undefined)
    if (ended?.call !== undefined && ended.word === 'completed') {
      const { call, whole, text, ids } = stretch.of(ended.call)
      allowed.push({ call, text: whole ?? text, ids })
    }
    const isComplete = facts.some(
      ({ kind, call, word }) => kind === 'reason' && call === undefined && word === 'completed',
    )
    for (const { kind, call, text = '' } of facts)
      if (isComplete && kind === 'listed' && call !== undefined)
        allowed.push({ call, text, ids: new Set(idsIn(frame, call.name)) })
  }
  return allowed
}

/** @param {string} protocol @param {WireEvent[]} events @returns {Allowed[]} */
function messageCalls(protocol, events) {
  let stretch = new Stretch()
  /** @type {Allowed[]} */
  const allowed = []
  for (const { facts, frame, form } of events) {
    const isWhole = facts.some(({ kind }) => kind === 'begin') && facts.some(({ kind }) => kind === 'end')
    const isDead = form === 'cut' || facts.some(({ kind }) => kind === 'error')
    if (isDead || isWhole || isBoundary(protocol, stretch, frame, facts)) stretch = new Stretch()
    if (isDead) continue
    stretch.id ??= messageIdOf(frame) ?? null
    stretch.hasContinued ||= protocol === 'chat' && !roleOf(frame)
    for (const fact of facts) stretch.add(fact, frame)
    if (!facts.some(({ kind }) => kind === 'end')) continue
    allowed.push(...settled(protocol, stretch, frame))
    stretch = new Stretch()
  }
  return allowed
}

/** @param {string} protocol @param {Stretch} stretch @param {any} frame @returns {Allowed[]} */
function settled(protocol, stretch, frame) {
  if (stretch.word === null || !COMPLETE[protocol].includes(stretch.word)) return []
  const known = [...stretch.calls.values()].filter(({ isNamed }) => isNamed)
  const ownId = messageIdOf(frame)
  const isOther = protocol === 'responses' && isText(ownId) && isText(stretch.id) && ownId !== stretch.id
  const listed = known.filter(({ isListed }) => isListed)
  const read = listed.length > 0 || isOther ? listed : known
  return read
    .filter(({ word }) => word === null || word === 'completed')
    .map(({ call, whole, text, ids, index }) => {
      const isLike = (/** @type {Known & { call: Call }} */ other) => other.call !== call && other.index === index
      const isAmbiguous = protocol === 'chat' && stretch.hasStray && known.some(isLike)
      return { call, text: isAmbiguous ? null : (whole ?? text), ids }
    })
    .filter(({ text }) => stretch.word !== 'bare' || text !== '')
    .map(allowed => (stretch.isMixed ? { ...allowed, text: null } : allowed))
}

/** @param {string} protocol @param {Stretch} stretch @param {any} frame @param {import('./conversation.mjs').Fact[]} facts */
function isBoundary(protocol, stretch, frame, facts) {
  if (protocol !== 'chat') return facts.some(({ kind }) => kind === 'begin')
  const id = messageIdOf(frame)
  if (isText(id) && isText(stretch.id) && id !== stretch.id) return true
  const isFirst = facts.some(({ kind }) => kind === 'begin')
  return isFirst && roleOf(frame) && stretch.hasContinued
}

/** The ids of the calls with this name in a frame. @param {any} value @param {string} name @returns {string[]} */
function idsIn(value, name) {
  if (typeof value !== 'object' || value === null) return []
  const isCall = (Object.hasOwn(value, 'name') && value.name === name) || value.function?.name === name
  const own = isCall ? [value.call_id ?? value.id].filter(isText) : []
  return [...own, ...Object.values(value).flatMap(member => idsIn(member, name))]
}

/** @param {any} frame */
const messageIdOf = frame => frame.response?.id ?? frame.message?.id ?? frame.id
/** @param {any} frame */
const roleOf = frame => frame.choices?.[0]?.delta?.role !== undefined
/** @param {unknown} value */
const isText = value => typeof value === 'string' && value !== ''
