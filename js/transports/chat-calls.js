'use strict'
// The calls of a streamed Chat Completions message, put together from their deltas.
//
// The API labels each delta with its call's index and the first with id and name. Servers leave out indexes or ids, give all
// calls one index or one id, give a new id or the name with each delta. Id, index and name decide together which call a delta
// belongs to, with the arguments so far: an object that has closed takes no more text, and one that has not begun may be whole.
// Where two readings remain, the message has a `conflict`, and none of its calls is given.
const { argumentsText, recordOf, textOf } = require('./frame-reading.js')
const { ObjectScanner, beginsObject } = require('./object-scanner.js')

/** The most calls of a message: OpenAI takes 128 tools in a request. */
const MAX_CALLS = 128
/** The longest arguments of a message, together. Far above the gate's limit for one call. */
const MAX_ARGUMENTS_LENGTH = 16 * 1024 * 1024

/**
 * @typedef {{ index: number | null, id: string | null, name: string | null, args: string, members: object }} Delta
 *   `members`: as the server sent them
 */

class PartialCall {
  args = ''
  #scanner = new ObjectScanner()

  /** @param {Pick<Delta, 'index' | 'id' | 'name'>} delta */
  constructor({ index, id, name }) {
    this.index = index
    this.id = id
    this.name = name
    /** @type {object[]} the members of its deltas, for the message that is repeated */
    this.deltas = []
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
  /** Calls beyond the most that are collected. */
  isFull = false
  #length = 0

  /** @param {unknown} value one element of `tool_calls` */
  append(value) {
    const delta = readDelta(value)
    this.#length += delta.args.length
    if (this.#length > MAX_ARGUMENTS_LENGTH)
      this.conflict = `the arguments are longer than ${MAX_ARGUMENTS_LENGTH} characters`
    if (this.conflict !== null) return
    const found = this.#find(delta)
    if (found === 'conflict') this.conflict = 'it is not clear which call a part of the stream belongs to'
    else this.#take(found === 'new' ? this.#begin(delta) : found, delta)
  }

  /** @param {Delta} delta */
  #begin(delta) {
    if (this.calls.length === MAX_CALLS) {
      this.isFull = true
      return null
    }
    const call = new PartialCall(delta)
    this.calls.push(call)
    return call
  }

  /** @param {PartialCall | null} call @param {Delta} delta */
  #take(call, { index, id, name, args, members }) {
    if (call === null) return
    call.index ??= index
    call.id ??= id
    call.name ??= name
    call.append(args)
    call.deltas.push(members)
  }

  /** @param {Delta} delta @returns {PartialCall | 'new' | 'conflict'} */
  #find(delta) {
    if (delta.name === null) return this.#continued(delta)
    const withId = this.#withId(delta)
    if (withId !== undefined) return withSameId(withId, delta)
    const near = delta.index === null ? this.calls.at(-1) : this.#withIndex(delta)
    if (near === undefined) return this.#withNewIndex(delta)
    return delta.id === null ? withoutId(near, delta) : withNewId(near, delta)
  }

  /** A delta without a name continues a call: by id, index, or the last one. @param {Delta} delta */
  #continued(delta) {
    const call = this.#withId(delta) ?? this.#withIndex(delta) ?? this.#unlabelled(delta)
    if (call === undefined) return 'new'
    return call.progress === 'closed' && delta.args.trim() !== '' ? 'conflict' : call
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
    if (index === null) return this.calls.at(-1)
    const open = this.calls.filter(call => call.index === null && call.progress !== 'closed')
    return open.length === 1 ? open[0] : undefined
  }

  /** A name under an index of its own begins a call, unless the server only miscounts. @param {Delta} delta */
  #withNewIndex({ id, name }) {
    const last = this.calls.at(-1)
    const isMiscounted = id === null && last?.id != null && last.name === name && last.progress === 'empty'
    return isMiscounted ? 'conflict' : 'new'
  }
}

/** A delta with the id of an earlier call, and a name. @param {PartialCall} call @param {Delta} delta */
function withSameId(call, delta) {
  if (call.name === null) return call
  const isSameIndex = delta.index === null || call.index === null || delta.index === call.index
  if (call.name !== delta.name) return isSameIndex && call.progress === 'empty' ? 'conflict' : 'new'
  if (call.progress !== 'closed') return isSameIndex ? call : 'conflict'
  if (!isSameIndex) return 'new'
  return delta.args.trim() === '' ? call : twinOf(call, delta)
}

/** A delta with a name and without an id. @param {PartialCall} near @param {Delta} delta */
function withoutId(near, delta) {
  if (near.name === null) return near
  const { progress } = near
  if (near.name !== delta.name) return near.id !== null && progress !== 'closed' ? 'conflict' : 'new'
  if (progress === 'closed') return twinOf(near, delta)
  return near.id === null && progress === 'empty' ? 'conflict' : near
}

/** A delta with a name and an id that no call has. @param {PartialCall} near @param {Delta} delta */
function withNewId(near, delta) {
  if (near.name === null && near.id === null) return near
  if (near.name !== delta.name || near.progress === 'closed') return 'new'
  return near.progress === 'open' && !beginsObject(delta.args) ? near : 'conflict'
}

/** A second call of the same tool, unless it is the same delta again. @param {PartialCall} call @param {Delta} delta */
const twinOf = (call, { args }) => (args.trim() === '' || args === call.args ? 'conflict' : 'new')

/** @param {unknown} value @returns {Delta} */
function readDelta(value) {
  const members = recordOf(value)
  const called = recordOf(members.function)
  return {
    index: indexOf(members.index),
    id: textOf(members.id),
    name: textOf(called.name),
    args: argumentsText(called.arguments),
    members,
  }
}

/** @param {unknown} value a number, or its text */
function indexOf(value) {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) ? number : null
}

module.exports = { ChatCalls, MAX_ARGUMENTS_LENGTH, MAX_CALLS, readDelta }
