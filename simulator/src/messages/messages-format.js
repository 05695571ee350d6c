// Renders a message: as one JSON body, or as stream events.

import { freshId, tokensOf } from '../answer-builder.js'
import { jsonOrText } from '../parse-json.js'
import { errorBody } from './messages-errors.js'

/**
 * @import { AnswerBuilder, AnswerPart } from '../answer-builder.js'
 * @import { Format } from '../http/http-output.js'
 * @import { JsonObject } from '../parse-json.js'
 * @import { ErrorAction, FinishReason } from '../scenario/types.js'
 */

/** The stop reason, by the scenario's finish reason. */
const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' }

/** @implements {Format} */
export class MessagesFormat {
  deltaName = 'content_block_delta'
  idPrefix = 'toolu_'
  #hasPinged = false

  /**
   * @param {JsonObject} body the request
   * @param {(id: string, content: JsonObject[]) => void} keep receives the finished message
   */
  constructor(body, keep) {
    this.keep = keep
    this.inputTokens = tokensOf(JSON.stringify([body.system ?? '', body.messages, body.tools ?? []]))
    this.base = {
      id: freshId('msg_'),
      type: 'message',
      role: 'assistant',
      model: body.model,
      container: null,
      diagnostics: null,
    }
  }

  begin() {
    const message = { ...this.base, content: [], ...stopOf(null), usage: this.#usage(1) }
    return [{ type: 'message_start', message }]
  }

  /** @param {AnswerPart} part */
  opened(part) {
    const empty = part.kind === 'text' ? textBlock('') : { ...callBlock(part), input: {} }
    const start = { type: 'content_block_start', index: part.index, content_block: empty }
    const pings = this.#hasPinged ? [] : [{ type: 'ping' }]
    this.#hasPinged = true
    return part.kind === 'text' ? [start, ...pings] : [start, ...pings, deltaOf(part, '')]
  }

  /** @param {AnswerPart} part @param {string} piece */
  grew(part, piece) {
    return [deltaOf(part, piece)]
  }

  /** @param {AnswerPart} part */
  closed(part) {
    return [{ type: 'content_block_stop', index: part.index }]
  }

  /** @param {AnswerBuilder} answer */
  end(answer) {
    this.#keepIt(answer)
    const delta = { container: null, ...stopOf(answer.reason) }
    return [{ type: 'message_delta', delta, usage: this.#counts(answer.tokens) }, { type: 'message_stop' }]
  }

  /** @param {AnswerBuilder} _answer @param {ErrorAction} error */
  failed(_answer, error) {
    return [errorBody(error)]
  }

  /** @param {AnswerBuilder} answer */
  whole(answer) {
    const content = this.#keepIt(answer)
    return { ...this.base, content, ...stopOf(answer.reason), usage: this.#usage(answer.tokens) }
  }

  /** @param {AnswerBuilder} answer */
  #keepIt(answer) {
    const content = answer.parts.map(part => (part.kind === 'text' ? textBlock(part.text) : callBlock(part)))
    this.keep(this.base.id, content)
    return content
  }

  /** @param {number} outputTokens */
  #usage(outputTokens) {
    const rest = { cache_creation: null, inference_geo: null, service_tier: 'standard', speed: null }
    return { ...this.#counts(outputTokens), ...rest }
  }

  /** @param {number} outputTokens */
  #counts(outputTokens) {
    return {
      input_tokens: this.inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: outputTokens,
      output_tokens_details: null,
      server_tool_use: null,
    }
  }
}

/** @param {FinishReason | null} reason the scenario's finish reason, null while the message is incomplete */
function stopOf(reason) {
  const details = reason === 'content_filter' ? { type: 'refusal', category: null, explanation: null } : null
  return { stop_reason: reason === null ? null : STOP_REASONS[reason], stop_sequence: null, stop_details: details }
}

/** @param {string} text */
function textBlock(text) {
  // Without `citations`: the service omits them if they are not enabled, and the AI SDK refuses null.
  return { type: 'text', text }
}

/**
 * A tool_use block. Arguments that are not JSON are a string, because a body allows nothing else.
 *
 * @param {AnswerPart} part
 */
function callBlock({ id, name, text }) {
  return {
    type: 'tool_use',
    ...(id === undefined ? {} : { id }),
    name,
    input: jsonOrText(text),
    caller: { type: 'direct' },
  }
}

/** @param {AnswerPart} part @param {string} piece */
function deltaOf({ kind, index }, piece) {
  const delta =
    kind === 'text' ? { type: 'text_delta', text: piece } : { type: 'input_json_delta', partial_json: piece }
  return { type: 'content_block_delta', index, delta }
}
