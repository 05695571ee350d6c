'use strict'
// Anthropic's Messages API: whole messages, and the events of a stream, to messages with calls. The calls of a message are given
// together at its end: only then is the stop reason known, and their results are sent together.
//
// Source: the Messages API's pages on streaming, on stop reasons and on handling tool calls.
const { AnthropicBlocks, inputText, isEmptyInput } = require('./anthropic-blocks.js')
const { COMPLETION, isComplete } = require('../shared/completion-reasons.js')
const { withoutEmptyTwins } = require('../shared/empty-twins.js')
const { idOf, listOf, nameOf, recordOf, textOf } = require('../shared/frame-reading.js')
const { MAX_CALLS } = require('../shared/message-limits.js')
const { LOST_EVENT, TOO_MANY_CALLS, notRun, providerError, shortened } = require('../shared/problems.js')

/**
 * @typedef {import('../shared/event-object.js').Message} Message
 * @typedef {import('./anthropic-blocks.js').Block} Block
 * @typedef {{ block: Block, id: string, name: string, args: string }} BlockCall
 * @typedef {{ id: string | null, calls: BlockCall[], blocks: Block[] }} CompleteBlocks
 */

class AnthropicReader {
  /** @type {string | null} */
  #id = null
  #content = new AnthropicBlocks()
  /** @type {string | null} */
  #stopReason = null

  /**
   * @param {Message} event
   * @param {string[]} problems
   * @returns {CompleteBlocks | null} a complete message with calls
   */
  read(event, problems) {
    switch (event.type) {
      case 'message_start':
        this.#abandon('another message began before `message_stop`', problems)
        this.#id = idOf(recordOf(event.message).id)
        break
      case 'content_block_start':
        this.#content.open(event.index, { ...recordOf(event.content_block) })
        break
      case 'content_block_delta':
        this.#content.append(event.index, recordOf(event.delta))
        break
      case 'content_block_stop':
        this.#content.close(event.index)
        break
      case 'message_delta':
        this.#stopReason = textOf(recordOf(event.delta).stop_reason) ?? this.#stopReason
        break
      case 'message_stop':
        return this.#finish(problems)
      case 'error':
        problems.push(providerError('the service reports an error', event.error))
        this.#abandon('the service failed', problems)
        break
      case 'message':
      case undefined:
        return this.#readWhole(event, problems)
    }
    return null
  }

  /** The stream is over. @param {string[]} problems */
  end(problems) {
    this.#abandon('the stream ended before `message_stop`', problems)
  }

  /** An event was lost. @param {string[]} problems */
  lose(problems) {
    this.#abandon(LOST_EVENT, problems)
  }

  /** @param {string[]} problems @returns {CompleteBlocks | null} */
  #finish(problems) {
    const [id, content, reason] = [this.#id, this.#content, this.#stopReason]
    this.#reset()
    const why = content.conflict ?? whyNotComplete(reason)
    if (why === null && reason === 'tool_use' && content.calls.length === 0 && content.blocks.length > 0)
      problems.push('the message ended with `tool_use`, and has no call')
    if (why === null) return complete(id, content.blocks, problems, isWhole)
    if (content.calls.length > 0 || content.conflict !== null) problems.push(notRun(content.calls.map(namedCall), why))
    return null
  }

  /** @param {Message} message @param {string[]} problems @returns {CompleteBlocks | null} */
  #readWhole(message, problems) {
    const error = message.error ?? null
    if (error !== null) problems.push(providerError('the service reports an error', error))
    if (!Array.isArray(message.content) && error === null) return null
    this.#abandon('another message came before `message_stop`', problems)
    const content = new AnthropicBlocks()
    for (const [at, block] of listOf(message.content).entries()) content.open(at, { ...recordOf(block) })
    const reason = textOf(message.stop_reason)
    const why = content.conflict ?? (error === null ? reason && whyNotComplete(reason) : 'the service failed')
    if (why === null)
      return complete(idOf(message.id), content.blocks, problems, reason === null ? hasInput : () => true)
    if (content.calls.length > 0 || content.conflict !== null) problems.push(notRun(content.calls.map(namedCall), why))
    return null
  }

  /** @param {string} why @param {string[]} problems */
  #abandon(why, problems) {
    const { calls } = this.#content
    this.#reset()
    if (calls.length > 0) problems.push(notRun(calls.map(namedCall), why))
  }

  #reset() {
    this.#id = null
    this.#content = new AnthropicBlocks()
    this.#stopReason = null
  }
}

/** @param {string | null} reason */
function whyNotComplete(reason) {
  if (reason === null) return 'the message ended without a stop reason'
  return isComplete(COMPLETION.anthropic, reason) ? null : `the message ended with \`${shortened(reason, 40)}\``
}

/**
 * @param {string | null} id
 * @param {Block[]} blocks
 * @param {string[]} problems
 * @param {(block: Block) => boolean} isWholeBlock
 * @returns {CompleteBlocks | null}
 */
function complete(id, blocks, problems, isWholeBlock) {
  const found = blocks.filter(({ members }) => members.type === 'tool_use')
  if (found.length > MAX_CALLS) problems.push(TOO_MANY_CALLS)
  /** @type {BlockCall[]} */
  const calls = []
  for (const block of found.slice(0, MAX_CALLS)) {
    const [callId, name] = [idOf(block.members.id), nameOf(block.members.name)]
    if (callId === null || name === null)
      problems.push(notRun([{ name }], "it can't be answered without `id` and `name`"))
    else if (!isWholeBlock(block)) problems.push(notRun([{ name }], 'it has no arguments, and did not end'))
    else calls.push({ block, id: callId, name, args: inputText(block) })
  }
  const given = withoutEmptyTwins(calls, problems)
  return given.length === 0 ? null : { id, calls: given, blocks }
}

/** Whether a block of a stream is whole: it has ended, or its input has begun. @param {Block} block */
const isWhole = block => block.isClosed || hasInput(block)

/** @param {Block} block */
const hasInput = ({ members, input }) => input.trim() !== '' || !isEmptyInput(members.input)

/** @param {Block} block */
const namedCall = ({ members }) => ({ name: nameOf(members.name) })

module.exports = { AnthropicReader }
