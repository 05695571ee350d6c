'use strict'
// The assistant message of Chat Completions that the next request repeats before the answers.
const { OPENAI_NAME_LENGTH, acceptedArguments, acceptedName } = require('../shared/accepted-call.js')
const { sizeOf } = require('../shared/frame-reading.js')
const { joined } = require('./repeated-parts.js')
const { MAX_ARGUMENTS_LENGTH } = require('../shared/message-limits.js')

/**
 * Members that servers want back: the text, and what the model thought, with signatures. `reasoning_content`: DeepSeek, Kimi;
 * `reasoning_details`: OpenRouter; `extra_content`: Gemini; `thinking_blocks`, `provider_specific_fields`: LiteLLM.
 */
const REPEATED = [
  'content',
  'refusal',
  'reasoning_content',
  'reasoning_details',
  'thinking_blocks',
  'extra_content',
  'provider_specific_fields',
]

/**
 * @typedef {{ name: string, args: string, extras: import('./chat-calls.js').Extras }} MessageCall
 */

class RepeatedMessage {
  /** Whether its call is a `function_call`, of the API before `tool_calls`. */
  isLegacy = false
  /** @type {Record<string, unknown>} */
  #members = {}
  #length = 0

  /** Whether nothing of the message has come. */
  get isEmpty() {
    return this.#length === 0
  }

  /** @param {Record<string, unknown>} piece a delta, or a whole message */
  add(piece) {
    for (const name of REPEATED) {
      const value = piece[name]
      if (value === undefined || value === null || this.#length > MAX_ARGUMENTS_LENGTH) continue
      this.#length += sizeOf(value)
      this.#members[name] = joined(this.#members[name], value)
    }
  }

  /**
   * The message. A name that the API would refuse, and arguments that are no object, are replaced: the answer says what was wrong.
   * @param {MessageCall[]} calls
   * @param {string[]} ids of the calls, for the provider
   */
  withCalls(calls, ids) {
    const { content = null, ...others } = this.#members
    const toolCalls = calls.map((call, at) => toolCall(call, ids[at]))
    const called = this.isLegacy ? { function_call: toolCalls[0].function } : { tool_calls: toolCalls }
    return { role: 'assistant', content: content === '' ? null : content, ...others, ...called }
  }
}

/** @param {MessageCall} call @param {string} id */
function toolCall({ name, args, extras: { members, called } }, id) {
  const repeated = { ...called, name: acceptedName(name, OPENAI_NAME_LENGTH), arguments: acceptedArguments(args) }
  return { id, type: 'function', function: repeated, ...members }
}

module.exports = { RepeatedMessage }
