// Which calls may be given, by the protocols' documents. It shares no code with the readers and reads no arguments: each part of a
// call says by its fact whose it is.
//
// - Chat Completions: "each chunk in the stream has the same id"; `role` is in the first delta; `finish_reason` is null until the
//   message ends. Gateways put one on every chunk: it ends what is whole. A call has no arguments if none came by the next event.
// - Anthropic: `message_start`, blocks, `message_delta` with the stop reason, `message_stop`; an `error` event ends the stream.
// - Responses: `response.created` begins, `response.completed` ends, with the whole output; `.done` events have whole values. An event
//   with the number of an earlier one is that event again.
// - Realtime: `response.output_item.done` has the whole item; several responses may be open.
// - Gemini Live: a function call is whole in its message.
//
// What can't be detected, and is therefore allowed:
// 1. Arguments deltas of one call that were lost, doubled or swapped (Chat Completions and Anthropic send no checksum and no
//    sequence number): its arguments are the deltas in the order in which they came.
// 2. A message that follows another one without a boundary: no other chunk id, no role after chunks without one, no
//    `message_start` or `response.created`. Both are one message, and equal indexes are one call. Frames of Anthropic don't even
//    name their message, so two streams in one are mixed as well.
// 3. A call of Chat Completions whose beginning was lost or late, or came under another index, with the index of another call: its
//    deltas are that call's.
// 4. Arguments of Chat Completions and of Realtime deltas that are no JSON object, of a call whose labels were lost: they run nothing, the
//    gate refuses them.
// 5. Calls of Chat Completions with one index, or with none: a delta that is late or early can be of each of them.
// 6. A delta of Chat Completions with the name of its call, under another id and another index: all its labels say that it is another call.

/**
 * @typedef {import('./conversation.mjs').WireEvent} WireEvent
 * @typedef {import('./conversation.mjs').Call} Call
 * @typedef {{ call: Call, text: string | null, ids: Set<string> }} Allowed `text`: `null` if it can be any; `ids`: as the frames have them
 * @typedef {{ isNamed: boolean, text: string, whole: string | null, isListed: boolean, word: string | null, ids: Set<string>, indexes: Set<string>, numbers: Set<unknown>, isEarly: boolean }} Known
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
  /** @type {Set<unknown>} */
  numbers = new Set()
  /** Whether a finish reason came. */
  hasEnded = false
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
      all.some(other => other !== one && other.isNamed && shareIndex(one, other)),
    )
    return hasSameIndex || new Set(all.map(({ call }) => call.message)).size > 1
  }

  /** Whether all that it has of its calls is whole. */
  get isWhole() {
    return [...this.calls.values()].every(({ call, text, whole }) => (whole ?? text) === call.args)
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
      indexes: new Set(),
      numbers: new Set(),
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
    if (index !== undefined) known.indexes.add(String(index))
    if (kind === 'named' && !known.isNamed) this.#latest = call
    if (kind === 'piece' && text !== '') known.isEarly ||= !known.isNamed
    const number = frame.sequence_number
    if (kind === 'piece' && !known.numbers.has(number)) known.text += text
    if (kind === 'piece' && number !== undefined) known.numbers.add(number)
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
    const isWhole = protocol === 'chat' ? !isChunk(frame) : hasKind(facts, 'begin') && hasKind(facts, 'end')
    const isDead = form === 'cut' || hasKind(facts, 'error')
    if (isDead || (isWhole && hasKind(facts, 'begin')) || isBoundary(protocol, stretch, frame, facts)) {
      allowed.push(...left(protocol, stretch))
      stretch = new Stretch()
    }
    if (isDead) continue
    if (!isText(stretch.id)) stretch.id = messageIdOf(frame)
    stretch.hasContinued ||= protocol === 'chat' && !roleOf(frame)
    for (const fact of facts) stretch.add(fact, frame)
    if (frame.sequence_number !== undefined) stretch.numbers.add(frame.sequence_number)
    const isOver = hasKind(facts, 'end')
    const isStreamed = protocol === 'chat' && isChunk(frame)
    if (isStreamed && isOver && !COMPLETE.chat.includes(String(stretch.word))) {
      allowed.push(...left(protocol, stretch))
      stretch = new Stretch()
    }
    stretch.hasEnded ||= isOver
    if (isStreamed ? !stretch.hasEnded : !isOver) continue
    const readings = settled(protocol, stretch, frame)
    if (isStreamed) {
      const comes = (/** @type {Call} */ one) =>
        facts.some(({ call }) => call !== undefined && markOf(call) === markOf(one))
      allowed.push(...readings.filter(({ call, text }) => text?.trim() !== '' || !comes(call)))
    } else {
      allowed.push(...readings)
      stretch = new Stretch()
    }
  }
  return [...allowed, ...left(protocol, stretch)]
}

/** The calls of a streamed message of Chat Completions that have no arguments, once it is over. @param {string} protocol @param {Stretch} stretch */
function left(protocol, stretch) {
  if (protocol !== 'chat' || !stretch.hasEnded) return []
  stretch.word = 'stop'
  return settled(protocol, stretch, {}).filter(({ text }) => text?.trim() === '')
}

/** @param {Known} one @param {Known} other */
const shareIndex = (one, other) =>
  (one.indexes.size === 0 && other.indexes.size === 0) || [...one.indexes].some(index => other.indexes.has(index))

/** @param {any} frame */
const isChunk = frame => frame.choices?.[0]?.delta !== undefined

/** @param {import('./conversation.mjs').Fact[]} facts @param {string} kind */
const hasKind = (facts, kind) => facts.some(fact => fact.kind === kind)

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
    .map(one => {
      const { call, whole, text, ids } = one
      const isLike = (/** @type {Known & { call: Call }} */ other) =>
        other.call !== call && shareIndex(one, other) && (stretch.hasStray || one.indexes.size + other.indexes.size > 2)
      const isRenamed = ids.size > 1 && one.indexes.size > 1
      const isAmbiguous = protocol === 'chat' && (isRenamed || known.some(isLike))
      return { call, text: isAmbiguous ? null : (whole ?? text), ids }
    })
    .filter(({ text }) => stretch.word !== 'bare' || text !== '')
    .map(allowed => (stretch.isMixed ? { ...allowed, text: null } : allowed))
}

/** @param {string} protocol @param {Stretch} stretch @param {any} frame @param {import('./conversation.mjs').Fact[]} facts */
function isBoundary(protocol, stretch, frame, facts) {
  const id = messageIdOf(frame)
  const isAgain = isText(id) && id === stretch.id && stretch.numbers.has(frame.sequence_number)
  if (protocol !== 'chat') return !isAgain && facts.some(({ kind }) => kind === 'begin')
  if (isText(id) && isText(stretch.id) && id !== stretch.id) return true
  // Without ids, what follows a message that lacks nothing is another one.
  const isUnlabelled = stretch.hasEnded && !(isText(id) && isText(stretch.id))
  const isFirst = isUnlabelled || facts.some(({ kind }) => kind === 'begin')
  if (isUnlabelled && stretch.isWhole) return true
  const ends = facts.some(({ kind }) => kind === 'end')
  return isFirst && roleOf(frame) && !ends && (stretch.hasContinued || stretch.hasEnded)
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
