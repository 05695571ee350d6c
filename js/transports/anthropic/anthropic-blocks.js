'use strict'
// The content blocks of an Anthropic message, put together from a stream's deltas. The next request repeats them before the
// results; a thinking block unchanged, with its signature, or the service refuses the request.
const { ANTHROPIC_NAME_LENGTH, acceptedArguments, acceptedName } = require('../shared/accepted-call.js')
const { argumentsText, recordOf, textOf } = require('../shared/frame-reading.js')
const { MAX_ARGUMENTS_LENGTH, MAX_CALLS } = require('../shared/message-limits.js')
const { withoutAdded } = require('../shared/sdk-members.js')

/** The most blocks of a message. */
const MAX_BLOCKS = 4 * MAX_CALLS
/** Texts that deltas extend. */
const STREAMED = ['text', 'thinking', 'signature']

/**
 * @typedef {import('../shared/event-object.js').Message} Members
 * @typedef {object} Block
 * @property {unknown} index
 * @property {Members} members
 * @property {string} input JSON text of the deltas
 * @property {unknown[]} citations
 * @property {boolean} isClosed
 */

class AnthropicBlocks {
  /** @type {Block[]} */
  blocks = []
  /** Why the message can't be read. @type {string | null} */
  conflict = null
  #length = 0

  /** The calls of the message. */
  get calls() {
    return this.blocks.filter(({ members }) => members.type === 'tool_use')
  }

  /** @param {unknown} index @param {Members} members */
  open(index, members) {
    if (this.blocks.some(block => block.index === index)) this.conflict ??= 'two blocks have one index'
    if (this.blocks.length === MAX_BLOCKS) this.conflict ??= `the message has more than ${MAX_BLOCKS} blocks`
    else this.blocks.push({ index, members, input: '', citations: [], isClosed: false })
  }

  /** @param {unknown} index @param {Members} delta */
  append(index, delta) {
    const block = this.blocks.find(candidate => candidate.index === index)
    const input = argumentsText(delta.partial_json)
    if (block === undefined || (input !== '' && !takesInput(block))) {
      if (input !== '') this.conflict ??= 'a part of the input belongs to no call'
      return
    }
    block.input += input
    this.#length += input.length
    for (const name of STREAMED) this.#appendText(block, name, delta[name])
    if (delta.citation !== undefined && block.citations.length < MAX_BLOCKS) block.citations.push(delta.citation)
    if (this.#length > MAX_ARGUMENTS_LENGTH)
      this.conflict ??= `the message is longer than ${MAX_ARGUMENTS_LENGTH} characters`
  }

  /** @param {unknown} index */
  close(index) {
    const block = this.blocks.find(candidate => candidate.index === index)
    if (block !== undefined) block.isClosed = true
  }

  /** @param {Block} block @param {string} name @param {unknown} piece */
  #appendText(block, name, piece) {
    if (typeof piece !== 'string') return
    this.#length += piece.length
    block.members[name] = (textOf(block.members[name]) ?? '') + piece
  }
}

/** Whether a block is an open call, of this API's tools or of a service's. @param {Block} block */
const takesInput = ({ members, isClosed }) => !isClosed && String(members.type).endsWith('tool_use')

/**
 * The JSON text of a call's input. Of a stream it is empty if no delta came and the block did not bring it.
 * @param {Block} block
 */
function inputText({ members, input }) {
  if (input !== '') return input
  // A text stays JSON text, so that the gate refuses it as it does any other value that is no object.
  return typeof members.input === 'string' ? JSON.stringify(members.input) : argumentsText(members.input)
}

/**
 * The blocks that the next request repeats: without calls that have no result, and with names and inputs that the API takes.
 * @param {Block[]} blocks
 * @param {Map<Block, string>} ids of the calls that have a result
 */
function repeatedBlocks(blocks, ids) {
  return blocks.flatMap(given => {
    const block = { ...given, members: withoutAdded(given.members) }
    const { members, citations } = block
    const cited = citations.length > 0 ? { citations } : {}
    // The service refuses an empty text block.
    if (members.type === 'text') return textOf(members.text) === null ? [] : [{ ...members, ...cited }]
    if (members.type !== 'tool_use') return [withInput(block)]
    const id = ids.get(given)
    if (id === undefined) return []
    const name = acceptedName(textOf(members.name) ?? '', ANTHROPIC_NAME_LENGTH)
    return [{ ...withInput(block), id, name }]
  })
}

/** A block with the input of its deltas; the API takes an object only. @param {Block} block @returns {Members} */
function withInput(block) {
  const { members, input } = block
  if (members.input === undefined && input === '') return members
  if (input !== '') return { ...members, input: JSON.parse(acceptedArguments(input)) }
  const isObject = typeof members.input === 'object' && members.input !== null && !Array.isArray(members.input)
  return isObject ? members : { ...members, input: {} }
}

/** @param {unknown} input */
const isEmptyInput = input => input === undefined || input === null || Object.keys(recordOf(input)).length === 0

module.exports = { AnthropicBlocks, inputText, isEmptyInput, repeatedBlocks }
