// The two forms of a message: one JSON body, or the events of its life.

import { freshId, tokensOf } from '../draft.js';
import { jsonOrText } from '../parse-json.js';
import { errorBody } from './errors.js';

/** Why the model stops, by the scenario's reason. */
const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' };

/** @implements {import('../http/output.js').Format} */
export class MessagesFormat {
  deltaName = 'content_block_delta';
  idPrefix = 'toolu_';
  #hasPinged = false;

  /**
   * @param {any} body the request
   * @param {(id: string, content: object[]) => void} keep told of the finished message
   */
  constructor(body, keep) {
    this.keep = keep;
    this.inputTokens = tokensOf(JSON.stringify([body.system ?? '', body.messages, body.tools ?? []]));
    this.base = { id: freshId('msg_'), type: 'message', role: 'assistant', model: body.model };
  }

  begin() {
    const message = { ...this.base, content: [], stop_reason: null, stop_sequence: null, usage: this.#usage(1) };
    return [{ type: 'message_start', message }];
  }

  opened(part) {
    const empty = part.kind === 'text' ? { type: 'text', text: '' } : { ...blockOf(part), input: {} };
    const start = { type: 'content_block_start', index: part.index, content_block: empty };
    const pings = this.#hasPinged ? [] : [{ type: 'ping' }];
    this.#hasPinged = true;
    return part.kind === 'text' ? [start, ...pings] : [start, ...pings, deltaOf(part, '')];
  }

  grew(part, piece) {
    return [deltaOf(part, piece)];
  }

  closed(part) {
    return [{ type: 'content_block_stop', index: part.index }];
  }

  end(draft) {
    const { stop_reason: reason } = this.whole(draft);
    const delta = { stop_reason: reason, stop_sequence: null };
    return [{ type: 'message_delta', delta, usage: { output_tokens: draft.tokens } }, { type: 'message_stop' }];
  }

  failed(_draft, error) {
    return [errorBody(error)];
  }

  whole(draft) {
    const content = draft.parts.map((part) => (part.kind === 'text' ? { type: 'text', text: part.text } : blockOf(part)));
    this.keep(this.base.id, content);
    return { ...this.base, content, stop_reason: STOP_REASONS[draft.reason], stop_sequence: null, usage: this.#usage(draft.tokens) };
  }

  #usage(outputTokens) {
    return {
      input_tokens: this.inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: outputTokens,
      service_tier: 'standard',
    };
  }
}

/** Arguments that are no JSON come as text where a body can hold nothing else. */
function blockOf({ id, name, text }) {
  return { type: 'tool_use', ...(id === undefined ? {} : { id }), name, input: jsonOrText(text) };
}

function deltaOf({ kind, index }, piece) {
  const delta = kind === 'text' ? { type: 'text_delta', text: piece } : { type: 'input_json_delta', partial_json: piece };
  return { type: 'content_block_delta', index, delta };
}
