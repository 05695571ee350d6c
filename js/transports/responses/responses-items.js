'use strict'
// The output items of a response: as a stream brings them, or as the whole response lists them.
const { argumentsText, recordOf, textOf } = require('../shared/frame-reading.js')
const { MAX_ARGUMENTS_LENGTH, MAX_CALLS } = require('../shared/message-limits.js')

/** The most items of a response. */
const MAX_ITEMS = 4 * MAX_CALLS
const TOO_MANY = `the response has more than ${MAX_ITEMS} output items`
const [OTHER_ITEM, NO_CALL] = ['two output items have one place', 'a part of the arguments belongs to no call']

/**
 * @typedef {import('../shared/event-object.js').Message} Message
 * @typedef {object} OutputItem
 * @property {unknown} key its index in the output, else its id: some servers change ids within a stream
 * @property {Message} members as the server sent them last
 * @property {string} pieces arguments of the deltas
 * @property {string | null} whole arguments of the event that ends them
 * @property {boolean} isDone whether its last event came
 * @property {boolean} isCut whether a delta of it is missing: its arguments are those of an event that has them whole
 */

class OutputItems {
  /** @type {OutputItem[]} */
  items = []
  /** Why the response can't be read. @type {string | null} */
  conflict = null
  #length = 0

  /** @param {Message} event `response.output_item.added` */
  begin(event) {
    const members = recordOf(event.item)
    const before = this.#find(event)
    if (before === undefined || !hasOtherCallId(before.members, members)) return void this.#put(event)
    // Some servers give each item one place, one after the other.
    if (!before.isDone) this.conflict ??= OTHER_ITEM
    this.#add(event, members)
  }

  /** @param {Message} event `response.output_item.done` */
  end(event) {
    const item = this.#put(event)
    if (item !== null) item.isDone = true
  }

  /** Events are missing: of each call that is not whole, a part of the arguments may be. */
  skip() {
    for (const item of this.items) item.isCut ||= item.whole === null && !item.isDone
  }

  /** @param {Message} event `response.function_call_arguments.delta` or `.done` */
  addArguments(event) {
    // Its beginning may be missing, and be in the event that ends it.
    const item = this.#find(event) ?? this.#add(event, { id: event.item_id })
    const text = argumentsText(event.delta ?? event.arguments)
    this.#length += text.length
    if (this.#length > MAX_ARGUMENTS_LENGTH)
      this.conflict ??= `the arguments are longer than ${MAX_ARGUMENTS_LENGTH} characters`
    else if (item !== null && event.delta === undefined) item.whole = text
    else if (item !== null) item.pieces += text
  }

  /**
   * The items of the finished response: as it lists them. Some servers list none; then they are those of the stream.
   * @param {unknown[]} listed
   * @returns {{ items: OutputItem[], unlisted: OutputItem[] }} `unlisted`: the stream had them, the list does not
   */
  finished(listed) {
    if (listed.length === 0) {
      if (this.items.some(isNameless)) this.conflict ??= NO_CALL
      return { items: this.items, unlisted: [] }
    }
    if (listed.length > MAX_ITEMS) this.conflict ??= TOO_MANY
    const left = new Set(this.items)
    const items = listed.slice(0, MAX_ITEMS).map((value, at) => {
      const members = recordOf(value)
      const known = sameItem([...left], members, at)
      if (known !== undefined && isOtherCall(known.members, members)) this.conflict ??= OTHER_ITEM
      else if (known !== undefined) left.delete(known)
      return { pieces: '', whole: null, isCut: false, ...known, key: at, members, isDone: true }
    })
    if ([...left].some(isNameless)) this.conflict ??= NO_CALL
    return { items, unlisted: [...left] }
  }

  /** @param {Message} event @returns {OutputItem | null} */
  #put(event) {
    const members = recordOf(event.item)
    const known = this.#find(event) ?? this.#relabelled(event, members)
    const isOther =
      known !== undefined &&
      (isOtherCall(known.members, members) ||
        isOtherPlace(known.key, keyOf(event)) ||
        (known.isDone && hasOtherCallId(known.members, members)))
    if (isOther) this.conflict ??= OTHER_ITEM
    else if (known !== undefined) {
      known.members = { ...known.members, ...definedMembers(members) }
      return known
    }
    return this.#add(event, members)
  }

  /** An item whose first event is not its beginning may have had others. @param {Message} event @param {Message} members @returns {OutputItem | null} */
  #add(event, members) {
    const isCut = event.type !== 'response.output_item.added'
    if (this.items.length === MAX_ITEMS) {
      this.conflict ??= TOO_MANY
      return null
    }
    const item = { key: keyOf(event), members, pieces: '', whole: null, isDone: false, isCut }
    this.items.push(item)
    return item
  }

  /** The item of an event that has another label than the events before it. @param {Message} event @param {Message} members */
  #relabelled(event, members) {
    const key = keyOf(event)
    if (key === null) return sameItem(this.items, members, -1)
    const [id, callId] = [textOf(members.id), textOf(members.call_id)]
    return this.items.find(item => id !== null && item.members.id === id && item.members.call_id === callId)
  }

  /** @param {Message} event */
  #find(event) {
    const key = keyOf(event)
    const byKey = key === null ? undefined : this.items.findLast(item => item.key === key)
    return (
      byKey ??
      (textOf(event.item_id) === null ? undefined : this.items.findLast(({ members }) => members.id === event.item_id))
    )
  }
}

/** @param {Message} event */
function keyOf({ output_index: index, item_id: id, item }) {
  if (typeof index === 'number') return index
  return textOf(id) ?? textOf(recordOf(item).id)
}

/** The item of a stream that a finished item is: by its id, its place, or its call. @param {OutputItem[]} items @param {Message} members @param {number} at */
function sameItem(items, members, at) {
  const [id, callId] = [textOf(members.id), textOf(members.call_id)]
  return (
    items.find(item => id !== null && item.members.id === id) ??
    items.find(item => item.key === at && (isNameless(item) || item.members.type === members.type)) ??
    items.find(item => callId !== null && item.members.call_id === callId)
  )
}

/** Whether two items in one place are two: some servers change ids, none the name. @param {Message} known @param {Message} members */
function isOtherCall(known, members) {
  const [one, other] = [known, members].map(({ type, name }) => [textOf(type), textOf(name)])
  return one.some((value, at) => value !== null && other[at] !== null && value !== other[at])
}

/** Whether an item has arguments alone: no event said what it is. @param {OutputItem} item */
const isNameless = ({ members }) => members.type === undefined

/** @param {Message} known @param {Message} members */
function hasOtherCallId(known, members) {
  const [one, other] = [textOf(known.call_id), textOf(members.call_id)]
  return one !== null && other !== null && one !== other
}

/** @param {unknown} one @param {unknown} other */
const isOtherPlace = (one, other) => typeof one === 'number' && typeof other === 'number' && one !== other

/** @param {Message} members */
const definedMembers = members =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  )

/**
 * The arguments of an item: what its last event has, else what the events of its arguments had.
 * @param {OutputItem} item
 */
const argumentsOf = ({ members, whole, pieces, isCut }) =>
  argumentsText(members.arguments) || whole || (isCut ? '' : pieces)

module.exports = { OutputItems, argumentsOf }
