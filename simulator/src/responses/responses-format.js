// Renders a response: as one JSON body, or as stream events.

import { freshId, tokensOf } from '../answer-builder.js'

/**
 * @import { AnswerBuilder, AnswerPart } from '../answer-builder.js'
 * @import { Format } from '../http/http-output.js'
 * @import { JsonObject } from '../parse-json.js'
 * @import { ErrorAction, FinishReason } from '../scenario/types.js'
 */

// Reason of an incomplete response, by the scenario's finish reason.
/** @type {Partial<Record<FinishReason, string>>} */
const INCOMPLETE_REASONS = { length: 'max_output_tokens', content_filter: 'content_filter' }

/** @implements {Format} */
export class ResponsesFormat {
  deltaName = 'response.output_text.delta'
  #sequence = 0
  /** @type {Map<AnswerPart, string>} */
  #ids = new Map()

  /**
   * @param {JsonObject} body the request
   * @param {JsonObject[]} items of the conversation before this response
   * @param {import('./response-store.js').ResponseStore} memory
   */
  constructor(body, items, memory) {
    this.items = items
    this.memory = memory
    this.keeps = body.store !== false
    this.inputTokens = tokensOf(JSON.stringify(items) + (body.instructions ?? ''))
    this.base = {
      id: freshId('resp_'),
      object: 'response',
      created_at: Math.floor(Date.now() / 1000),
      background: false,
      instructions: body.instructions ?? null,
      max_output_tokens: body.max_output_tokens ?? null,
      metadata: body.metadata ?? {},
      model: body.model,
      parallel_tool_calls: body.parallel_tool_calls ?? true,
      previous_response_id: body.previous_response_id ?? null,
      reasoning: { effort: null, summary: null },
      service_tier: 'default',
      store: this.keeps,
      temperature: body.temperature ?? 1,
      text: body.text ?? { format: { type: 'text' } },
      tool_choice: body.tool_choice ?? 'auto',
      tools: body.tools ?? [],
      top_p: body.top_p ?? 1,
      truncation: body.truncation ?? 'disabled',
    }
  }

  begin() {
    return ['created', 'in_progress'].map(name => this.#event(name, { response: this.#describe('in_progress', []) }))
  }

  /** @param {AnswerPart} part */
  opened(part) {
    const item = part.kind === 'text' ? { ...this.#itemOf(part), content: [] } : this.#itemOf(part)
    const added = this.#event('output_item.added', { output_index: part.index, item })
    if (part.kind === 'call') return [added]
    return [added, this.#inside('content_part.added', part, { part: contentOf({ text: '' }) })]
  }

  /** @param {AnswerPart} part @param {string} piece */
  grew(part, piece) {
    if (part.kind === 'call') return [this.#inside('function_call_arguments.delta', part, { delta: piece })]
    return [this.#inside('output_text.delta', part, { delta: piece, logprobs: [] })]
  }

  /** @param {AnswerPart} part */
  closed(part) {
    const inside =
      part.kind === 'call'
        ? [this.#inside('function_call_arguments.done', part, { name: part.name, arguments: part.text })]
        : [
            this.#inside('output_text.done', part, { text: part.text, logprobs: [] }),
            this.#inside('content_part.done', part, { part: contentOf(part) }),
          ]
    return [...inside, this.#event('output_item.done', { output_index: part.index, item: this.#itemOf(part) })]
  }

  /** @param {AnswerBuilder} answer */
  end(answer) {
    const response = this.whole(answer)
    return [this.#event(response.status, { response })]
  }

  /** @param {AnswerBuilder} answer @param {ErrorAction} error */
  failed(answer, error) {
    answer.end(false)
    return [this.#event('failed', { response: this.failedWhole(answer, error) })]
  }

  /** @param {AnswerBuilder} answer @returns {JsonObject} */
  whole(answer) {
    const reason = INCOMPLETE_REASONS[answer.reason]
    const output = answer.parts.map(part => this.#itemOf(part))
    if (this.keeps) this.memory.keep(this.base.id, this.items, output)
    return this.#describe(reason === undefined ? 'completed' : 'incomplete', output, {
      incomplete_details: reason === undefined ? null : { reason },
      usage: this.#usage(answer),
    })
  }

  /** @param {AnswerBuilder} answer @param {ErrorAction} error */
  failedWhole(answer, { message, code }) {
    answer.end(false)
    const output = answer.parts.map(part => this.#itemOf(part))
    return this.#describe('failed', output, { error: { code: code ?? 'server_error', message } })
  }

  /** @param {string} status @param {JsonObject[]} output @param {JsonObject} [more] */
  #describe(status, output, more = {}) {
    return { ...this.base, status, error: null, incomplete_details: null, output, ...more }
  }

  /** @param {AnswerBuilder} answer */
  #usage(answer) {
    return {
      input_tokens: this.inputTokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: answer.tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: this.inputTokens + answer.tokens,
    }
  }

  /** @param {AnswerPart} part @returns {JsonObject} */
  #itemOf(part) {
    const { kind, id, name, text, status } = part
    if (kind === 'text')
      return { id: this.#idOf(part), type: 'message', status, role: 'assistant', content: [contentOf(part)] }
    const isAsync = this.base.tools.some((/** @type {JsonObject} */ tool) => tool.name === name && tool.async === true)
    return {
      id: this.#idOf(part),
      type: 'function_call',
      status,
      name,
      arguments: text,
      ...(id !== undefined && { call_id: id }),
      ...(isAsync && { async: true }),
    }
  }

  /** @param {AnswerPart} part */
  #idOf(part) {
    const id = this.#ids.get(part) ?? freshId(part.kind === 'text' ? 'msg_' : 'fc_')
    this.#ids.set(part, id)
    return id
  }

  /** @param {string} name @param {JsonObject} more */
  #event(name, more) {
    const sequence = this.#sequence
    this.#sequence += 1
    return { type: `response.${name}`, sequence_number: sequence, ...more }
  }

  /** @param {string} name @param {AnswerPart} part @param {JsonObject} more */
  #inside(name, part, more) {
    const place = {
      item_id: this.#idOf(part),
      output_index: part.index,
      ...(part.kind === 'text' ? { content_index: 0 } : {}),
    }
    return this.#event(name, { ...place, ...more })
  }
}

/** @param {{ text: string }} part */
function contentOf({ text }) {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}
