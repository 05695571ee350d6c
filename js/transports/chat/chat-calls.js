'use strict'
// The calls of a streamed Chat Completions message, put together from their deltas.
//
// The API labels each delta with its call's index and the first with id and name. Servers leave out indexes or ids, give all
// calls one index or one id, give a new id or the name with each delta. Id, index and name decide together which call a delta
// belongs to, with the arguments so far: an object that has closed takes no more text, and one that has not begun may be whole.
// Where two readings remain, the message has a `conflict`, and none of its calls is given.
const { argumentsText, idOf, isObjectText, nameOf, recordOf, sizeOf } = require('../shared/frame-reading.js')
const { MAX_ARGUMENTS_LENGTH, MAX_CALLS } = require('../shared/message-limits.js')
const { ObjectScanner, beginsObject } = require('./object-scanner.js')
const { ADDED } = require('../shared/sdk-members.js')

/**
 * @typedef {import('../shared/event-object.js').Message} Members
 * @typedef {{ members: Members, called: Members }} Extras what a server adds to a call and its function, such as a signature in
 *   `extra_content`; the next request repeats it
 * @typedef {{ index: number | null, id: string | null, name: string | null, args: string, extras: Extras }} Delta
 */

/** Members of a call, and of its function, that the message to repeat has anew. */
const [OWN_MEMBERS, OWN_OF_FUNCTION] = [
  ['id', 'index', 'type', 'function'],
  ['name', 'arguments'],
]

class PartialCall {
  args = ''
  #scanner = new ObjectScanner()

  /** @param {Pick<Delta, 'index' | 'id' | 'name'>} delta */
  constructor({ index, id, name }) {
    this.index = index
    this.id = id
    this.name = name
    /** @type {Extras} */
    this.extras = noExtras()
    /** Whether its name came again. */
    this.isRelabelled = false
  }

  /** How far the arguments have come. */
  get progress() {
    return this.#scanner.state
  }

  /** @param {string} piece */
  append(piece) {
    this.args += piece
    this.#scanner.push(piece)
  }
}

class ChatCalls {
  /** @type {PartialCall[]} */
  calls = []
  /** Why the message can't be read. @type {string | null} */
  conflict = null
  /** The first call beyond the most that are collected: it takes what belongs to those. @type {PartialCall | null} */
  #excess = null
  /** Calls that came after the conflict. @type {{ name: string }[]} */
  #unread = []
  #length = 0

  /** Whether there were more calls than are collected. */
  get isFull() {
    return this.#excess !== null
  }

  /** All calls, for a problem that names them. @returns {{ name: string | null }[]} */
  get named() {
    return [...this.calls, ...this.#unread]
  }

  /** Whether another call may explain one without arguments: those of the other are broken, so that what is missing there may be its, or
   *  it is an empty delta of the other under an id of its own. @param {PartialCall} call */
  isDoubtful(call) {
    if (call.progress !== 'empty') return false
    const isBroken = (/** @type {PartialCall} */ { progress, args }) => progress !== 'empty' && !isObjectText(args)
    return this.calls.some(other => other !== call && (mayBeOne(call, other) || isBroken(other)))
  }

  get #last() {
    return this.#excess ?? this.calls.at(-1)
  }

  /** @param {unknown} value one element of `tool_calls` @returns {PartialCall | null} its call; `null` if it is not clear which */
  append(value) {
    const delta = readDelta(value)
    this.#length += delta.args.length + sizeOfExtras(delta.extras)
    if (this.#length > MAX_ARGUMENTS_LENGTH)
      this.conflict ??= `the arguments are longer than ${MAX_ARGUMENTS_LENGTH} characters`
    const found = this.conflict === null ? this.#find(delta) : 'conflict'
    if (found !== 'conflict') {
      const call = found === 'new' ? this.#begin(delta) : found
      take(call, delta)
      return call
    }
    this.conflict ??= 'it is not clear which call a part of the stream belongs to'
    if (delta.name !== null && this.#unread.length < MAX_CALLS) this.#unread.push({ name: delta.name })
    return null
  }

  /** @param {Delta} delta */
  #begin(delta) {
    const call = new PartialCall(delta)
    if (this.calls.length < MAX_CALLS) this.calls.push(call)
    else this.#excess = call
    return call
  }

  /** @param {Delta} delta @returns {PartialCall | 'new' | 'conflict'} */
  #find(delta) {
    if (delta.name === null) return this.#continued(delta)
    const withId = this.#withId(delta)
    if (withId !== undefined) return withSameId(withId, delta)
    const near = delta.index === null ? this.#last : this.#withIndex(delta)
    if (near === undefined) return this.#withNewIndex(delta)
    if (delta.id !== null) return withNewId(near, delta)
    return delta.index === null && this.#mayContinue(near, delta) ? 'conflict' : withoutId(near, delta)
  }

  /** Whether a delta without a label may be of a call before the last one. @param {PartialCall} last @param {Delta} delta */
  #mayContinue(last, { name }) {
    return last.name !== name && this.calls.some(call => call.name === name && call.progress !== 'closed')
  }

  /** A delta without a name continues a call: by id, index, or the last one. @param {Delta} delta */
  #continued(delta) {
    const withId = this.#withId(delta)
    const call = withId ?? this.#withIndex(delta) ?? this.#unlabelled(delta)
    if (call === undefined) return 'new'
    if (withId === undefined && this.#mayBeOfOther(call, delta)) return 'conflict'
    // The id of one call, and the index of another: of one whose beginning was lost, if all calls have one id.
    if (delta.id === call.id && isOtherIndex(call, delta)) return 'conflict'
    return call.progress === 'closed' && delta.args.trim() !== '' ? 'conflict' : call
  }

  /**
   * Whether a delta without the id of a call may be of another one. Without an index it may be of any that has not closed. An index may be a
   * default: then it may be of a later call, which began without an index.
   * @param {PartialCall} call @param {Delta} delta
   */
  #mayBeOfOther(call, delta) {
    const isOpen = (/** @type {PartialCall} */ { progress }) => progress !== 'closed'
    if (delta.index === null) return this.calls.filter(isOpen).length > 1
    const later = call.index === null ? [] : this.calls.slice(this.calls.indexOf(call) + 1)
    return later.some(other => other.index === null && isOpen(other))
  }

  /** The last call with the id of a delta, and with its index if several have the id. @param {Delta} delta */
  #withId({ id, index }) {
    if (id === null) return undefined
    const withId = this.calls.filter(call => call.id === id)
    return withId.findLast(call => call.index === index) ?? withId.at(-1)
  }

  /** @param {Delta} delta */
  #withIndex({ index }) {
    return index === null ? undefined : this.calls.findLast(call => call.index === index)
  }

  /** The call for a delta whose label no call has: one without an index, or the last. @param {Delta} delta */
  #unlabelled({ index }) {
    if (index === null) return this.#last
    const open = this.calls.filter(call => call.index === null && call.progress !== 'closed')
    return open.length === 1 ? open[0] : undefined
  }

  /** A name under an index of its own begins a call, unless the server only miscounts. @param {Delta} delta */
  #withNewIndex({ id, name }) {
    const last = this.#last
    if (last === undefined || last.name !== name) return 'new'
    // A server that numbers its deltas numbers all of them.
    if (last.index === null) return last.progress === 'closed' ? 'new' : 'conflict'
    return id === null && last.id !== null && last.progress === 'empty' ? 'conflict' : 'new'
  }
}

/** @param {PartialCall} call @param {Delta} delta */
function take(call, { index, id, name, args, extras }) {
  call.isRelabelled ||= name !== null && call.args !== ''
  call.index ??= index
  call.id ??= id
  call.name ??= name
  call.append(args)
  Object.assign(call.extras.members, extras.members)
  Object.assign(call.extras.called, extras.called)
}

/** A delta with the id of an earlier call, and a name. @param {PartialCall} call @param {Delta} delta */
function withSameId(call, delta) {
  const isSameIndex = !isOtherIndex(call, delta)
  if (call.name === null) return isSameIndex ? call : 'conflict'
  if (call.name !== delta.name) return isSameIndex && call.progress === 'empty' ? 'conflict' : 'new'
  if (call.progress !== 'closed') return isSameIndex && call.progress !== 'other' ? call : 'conflict'
  if (!isSameIndex) return 'new'
  return delta.args.trim() === '' ? call : twinOf(call, delta)
}

/** A delta with a name and without an id. @param {PartialCall} near @param {Delta} delta */
function withoutId(near, delta) {
  if (near.name === null) return beginsLate(near, delta) ? near : 'conflict'
  const { progress } = near
  if (near.name !== delta.name) return near.id !== null && progress !== 'closed' ? 'conflict' : 'new'
  if (progress === 'closed') return twinOf(near, delta)
  return near.id === null && progress === 'empty' ? 'conflict' : near
}

/** A delta with a name and an id that no call has. @param {PartialCall} near @param {Delta} delta */
function withNewId(near, delta) {
  if (near.name === null && near.id === null) return beginsLate(near, delta) ? near : 'conflict'
  // The id of a call that had none may come late, or begin a second call without arguments.
  const mayBeLate = near.id === null && near.name === delta.name && delta.args.trim() === ''
  if (near.progress === 'closed' && mayBeLate) return 'conflict'
  if (near.name !== delta.name || near.progress === 'closed') return 'new'
  return near.progress === 'open' && !beginsObject(delta.args) ? near : 'conflict'
}

/** Whether two calls may be parts of one. @param {PartialCall} call @param {PartialCall} other */
const mayBeOne = (call, other) =>
  call.name === other.name && (call.index === null || other.index === null || call.index === other.index)

/** @param {PartialCall} call @param {Delta} delta */
const isOtherIndex = (call, { index }) => index !== null && call.index !== null && index !== call.index

/** Whether a name belongs to a call that began without one: its arguments may come first only under the same index. @param {PartialCall} near @param {Delta} delta */
const beginsLate = (near, { index }) => near.args === '' || (index !== null && near.index === index)

/** A second call of the same tool, unless it is the same delta again. @param {PartialCall} call @param {Delta} delta */
const twinOf = (call, { args }) => (args === call.args || !beginsObject(args) ? 'conflict' : 'new')

/** @param {unknown} value @returns {Delta} */
function readDelta(value) {
  const members = recordOf(value)
  const called = recordOf(members.function)
  return {
    index: indexOf(members.index),
    id: idOf(members.id),
    name: nameOf(called.name),
    args: argumentsText(called.arguments),
    extras: { members: without(OWN_MEMBERS, members), called: without(OWN_OF_FUNCTION, called) },
  }
}

/** @returns {Extras} */
const noExtras = () => ({ members: Object.create(null), called: Object.create(null) })

/** @type {Members} */
const NO_MEMBERS = Object.freeze(Object.create(null))

/** The other members, in an object without a prototype: `__proto__` is a name like any other. @param {string[]} own @param {Members} members */
function without(own, members) {
  let others = NO_MEMBERS
  for (const name in members) {
    if (own.includes(name) || ADDED.has(name) || !Object.hasOwn(members, name)) continue
    if (others === NO_MEMBERS) others = Object.create(null)
    others[name] = members[name]
  }
  return others
}

/** @param {Extras} extras */
const sizeOfExtras = ({ members, called }) =>
  [members, called].reduce((size, extra) => (Object.keys(extra).length === 0 ? size : size + sizeOf(extra)), 0)

/** @param {unknown} value a number, or its text */
function indexOf(value) {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) ? number : null
}

module.exports = { ChatCalls, PartialCall, readDelta }
