// Renders a chat completion: as one JSON body, or as chunks.

import { randomUUID } from 'node:crypto'
import { tokensOf } from '../answer-builder.js'

/**
 * @import { AnswerBuilder, AnswerPart } from '../answer-builder.js'
 * @import { Format } from '../http/http-output.js'
 * @import { JsonObject } from '../parse-json.js'
 * @import { ErrorAction, FinishReason } from '../scenario/types.js'
 */

/** @implements {Format} */
export class ChatFormat {
  endMark = 'data: [DONE]\n\n'

  /** @param {JsonObject} body the request */
  constructor(body) {
    this.body = body
    this.wantsUsage = body.stream_options?.include_usage === true
    this.base = {
      id: `chatcmpl-simulator-${randomUUID()}`,
      created: Math.floor(Date.now() / 1000),
      model: body.model,
      system_fingerprint: 'fp_toolgate_simulator',
    }
  }

  begin() {
    return [this.#delta({ role: 'assistant', content: '', refusal: null })]
  }

  /** @param {AnswerPart} part */
  opened(part) {
    return part.kind === 'text' ? [] : [this.#delta({ tool_calls: [{ index: part.nth, ...toolCallOf(part) }] })]
  }

  /** @param {AnswerPart} part @param {string} piece */
  grew(part, piece) {
    if (part.kind === 'text') return [this.#delta({ content: piece })]
    return [this.#delta({ tool_calls: [{ index: part.nth, function: { arguments: piece } }] })]
  }

  /** @param {AnswerBuilder} answer */
  end(answer) {
    const last = this.#delta({}, answer.reason)
    return this.wantsUsage ? [last, { ...this.#chunk([]), usage: this.#usage(answer) }] : [last]
  }

  /** @param {AnswerBuilder} _answer @param {ErrorAction} error */
  failed(_answer, { message, type = 'server_error', code = null }) {
    return [{ error: { message, type, param: null, code } }]
  }

  /** @param {AnswerBuilder} answer */
  whole(answer) {
    const content = answer.parts
      .filter(({ kind }) => kind === 'text')
      .map(({ text }) => text)
      .join('')
    const calls = answer.callParts.map(toolCallOf)
    /** @type {JsonObject} */
    const message = { role: 'assistant', content: content === '' && calls.length > 0 ? null : content, refusal: null }
    if (calls.length > 0) message.tool_calls = calls
    const choices = [{ index: 0, message, logprobs: null, finish_reason: answer.reason }]
    return { ...this.base, object: 'chat.completion', choices, usage: this.#usage(answer) }
  }

  /** @param {JsonObject} delta @param {FinishReason | null} [finishReason] */
  #delta(delta, finishReason = null) {
    return this.#chunk([{ index: 0, delta, logprobs: null, finish_reason: finishReason }])
  }

  /** @param {JsonObject[]} choices */
  #chunk(choices) {
    const chunk = { ...this.base, object: 'chat.completion.chunk', choices }
    return this.wantsUsage ? { ...chunk, usage: null } : chunk
  }

  /** @param {AnswerBuilder} answer */
  #usage(answer) {
    const prompt = tokensOf(JSON.stringify(this.body.messages))
    return { prompt_tokens: prompt, completion_tokens: answer.tokens, total_tokens: prompt + answer.tokens }
  }
}

/** @param {AnswerPart} part */
function toolCallOf({ id, name, text }) {
  return { ...(id === undefined ? {} : { id }), type: 'function', function: { name, arguments: text } }
}
