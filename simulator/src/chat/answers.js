// The two forms of an answer: one JSON body, or server-sent events. Both are outputs in the sense of perform.js.

import { randomUUID } from 'node:crypto';
import { sendError } from '../openai/send-error.js';

const CHARS_PER_TOKEN = 4;
const ARGUMENT_PIECES = 3;

/** What both forms share: identity, usage, the reason to finish. @implements {import('../perform.js').Output} */
class Answer {
  sent = false;
  contentChars = 0;
  callCount = 0;
  finishReason = null;

  /**
   * @param {object} parts
   * @param {import('node:http').ServerResponse} parts.response
   * @param {any} parts.body the request
   * @param {(line: string) => void} parts.log
   */
  constructor({ response, body, log }) {
    this.response = response;
    this.body = body;
    this.log = log;
    this.base = {
      id: `chatcmpl-simulator-${randomUUID()}`,
      created: Math.floor(Date.now() / 1000),
      model: body.model,
      system_fingerprint: 'fp_toolgate_simulator',
    };
  }

  finish(reason) {
    this.finishReason = reason;
  }

  error({ status = 500, message, type = 'server_error', code = null, retryAfterSeconds }) {
    this.sent = true;
    if (this.response.headersSent) {
      this.response.end(`data: ${JSON.stringify({ error: { message, type, param: null, code } })}\n\n`);
      return;
    }
    if (retryAfterSeconds !== undefined) this.response.setHeader('retry-after', String(retryAfterSeconds));
    sendError(this.response, { status, message, type, param: null, code });
  }

  disconnect() {
    this.sent = true;
    this.response.destroy();
  }

  skip(name) {
    this.log(`chat action \`${name}\` skipped: Chat Completions has no such thing`);
  }

  get closingReason() {
    return this.finishReason ?? (this.callCount > 0 ? 'tool_calls' : 'stop');
  }

  /** Estimates, four characters a token. */
  get usage() {
    const prompt = Math.ceil(JSON.stringify(this.body.messages).length / CHARS_PER_TOKEN);
    const completion = Math.ceil(this.contentChars / CHARS_PER_TOKEN);
    return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  }
}

export class WholeAnswer extends Answer {
  #content = '';
  #calls = [];

  say(piece) {
    this.#content += piece;
    this.contentChars += piece.length;
  }

  calls(calls) {
    this.#calls.push(...calls.map(toolCallOf));
    this.callCount += calls.length;
  }

  malformed(text) {
    this.sent = true;
    this.response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  }

  frame(frame) {
    this.malformed(JSON.stringify(frame));
  }

  end() {
    if (this.sent) return;
    const message = { role: 'assistant', content: this.#content === '' && this.#calls.length > 0 ? null : this.#content, refusal: null };
    if (this.#calls.length > 0) message.tool_calls = this.#calls;
    const choices = [{ index: 0, message, logprobs: null, finish_reason: this.closingReason }];
    const completion = { ...this.base, object: 'chat.completion', choices, usage: this.usage };
    this.response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion));
  }
}

export class StreamedAnswer extends Answer {
  #opened = false;

  say(piece) {
    this.contentChars += piece.length;
    this.#delta({ content: piece });
  }

  calls(calls) {
    for (const call of calls.map(toolCallOf)) {
      const index = this.callCount;
      this.callCount += 1;
      const { arguments: text } = call.function;
      this.#delta({ tool_calls: [{ index, ...call, function: { ...call.function, arguments: '' } }] });
      for (const piece of argumentPieces(text)) this.#delta({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }

  malformed(text) {
    this.#write(`data: ${text}\n\n`);
  }

  frame(frame) {
    this.#write(`data: ${JSON.stringify(frame)}\n\n`);
  }

  end() {
    if (this.sent) return;
    this.#delta({}, this.closingReason);
    if (this.#wantsUsage) this.frame({ ...this.#chunk([]), usage: this.usage });
    this.response.end('data: [DONE]\n\n');
  }

  get #wantsUsage() {
    return this.body.stream_options?.include_usage === true;
  }

  #delta(delta, finishReason = null) {
    if (!this.#opened) {
      this.#opened = true;
      this.#delta({ role: 'assistant', content: '', refusal: null });
    }
    this.frame(this.#chunk([{ index: 0, delta, logprobs: null, finish_reason: finishReason }]));
  }

  #chunk(choices) {
    const chunk = { ...this.base, object: 'chat.completion.chunk', choices };
    return this.#wantsUsage ? { ...chunk, usage: null } : chunk;
  }

  #write(text) {
    if (!this.response.headersSent) {
      this.response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
    }
    this.response.write(text);
  }
}

function toolCallOf({ id, name, args, rawArgs }) {
  const given = id === undefined ? `call_${randomUUID().replaceAll('-', '').slice(0, 24)}` : id;
  const called = { name, arguments: rawArgs ?? JSON.stringify(args ?? {}) };
  return { ...(given === null ? {} : { id: given }), type: 'function', function: called };
}

function argumentPieces(text) {
  const points = Array.from(text);
  const size = Math.max(1, Math.ceil(points.length / ARGUMENT_PIECES));
  return Array.from({ length: Math.ceil(points.length / size) }, (_, at) => points.slice(at * size, (at + 1) * size).join(''));
}
