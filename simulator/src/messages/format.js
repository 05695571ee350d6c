// Renders a message: as one JSON body, or as stream events.

import { freshId, tokensOf } from '../answer-builder.js'
import { jsonOrText } from '../parse-json.js'
import { errorBody } from './errors.js'

/** The stop reason, by the scenario's finish reason. */
const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' }

/** @implements {import('../http/output.js').Format} */
export class MessagesFormat {
  deltaName = 'content_block_delta'
  idPrefix = 'toolu_'
  #hasPinged = false

  /**
   * @param {any} body the request
   * @param {(id: string, content: object[]) => void} keep receives the finished message
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

  opened(part) {
    const empty = part.kind === 'text' ? textBlock('') : { ...callBlock(part), input: {} }
    const start = { type: 'content_block_start', index: part.index, content_block: empty }
    const pings = this.#hasPinged ? [] : [{ type: 'ping' }]
    this.#hasPinged = true
    return part.kind === 'text' ? [start, ...pings] : [start, ...pings, deltaOf(part, '')]
  }

  grew(part, piece) {
    return [deltaOf(part, piece)]
  }

  closed(part) {
    return [{ type: 'content_block_stop', index: part.index }]
  }

  end(answer) {
    this.#keepIt(answer)
    const delta = { container: null, ...stopOf(answer.reason) }
    return [{ type: 'message_delta', delta, usage: this.#counts(answer.tokens) }, { type: 'message_stop' }]
  }

  failed(_draft, error) {
    return [errorBody(error)]
  }

  whole(answer) {
    const content = this.#keepIt(answer)
    return { ...this.base, content, ...stopOf(answer.reason), usage: this.#usage(answer.tokens) }
  }

  #keepIt(answer) {
    const content = answer.parts.map(part => (part.kind === 'text' ? textBlock(part.text) : callBlock(part)))
    this.keep(this.base.id, content)
    return content
  }

  #usage(outputTokens) {
    const rest = { cache_creation: null, inference_geo: null, service_tier: 'standard', speed: null }
    return { ...this.#counts(outputTokens), ...rest }
  }

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

/** @param {string | null} reason the scenario's finish reason, null while the message is incomplete */
function stopOf(reason) {
  const details = reason === 'content_filter' ? { type: 'refusal', category: null, explanation: null } : null
  return { stop_reason: reason === null ? null : STOP_REASONS[reason], stop_sequence: null, stop_details: details }
}

function textBlock(text) {
  return { type: 'text', text, citations: null }
}

/** A tool_use block. Arguments that are not JSON are a string, because a body allows nothing else. */
function callBlock({ id, name, text }) {
  return {
    type: 'tool_use',
    ...(id === undefined ? {} : { id }),
    name,
    input: jsonOrText(text),
    caller: { type: 'direct' },
  }
}

function deltaOf({ kind, index }, piece) {
  const delta =
    kind === 'text' ? { type: 'text_delta', text: piece } : { type: 'input_json_delta', partial_json: piece }
  return { type: 'content_block_delta', index, delta }
}
