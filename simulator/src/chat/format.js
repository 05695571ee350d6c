// The two forms of a chat completion: one JSON body, or chunks.

import { randomUUID } from 'node:crypto'
import { tokensOf } from '../draft.js'

/** @implements {import('../http/output.js').Format} */
export class ChatFormat {
  endMark = 'data: [DONE]\n\n'

  /** @param {any} body the request */
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

  opened(part) {
    return part.kind === 'text' ? [] : [this.#delta({ tool_calls: [{ index: part.nth, ...toolCallOf(part) }] })]
  }

  grew(part, piece) {
    if (part.kind === 'text') return [this.#delta({ content: piece })]
    return [this.#delta({ tool_calls: [{ index: part.nth, function: { arguments: piece } }] })]
  }

  end(draft) {
    const last = this.#delta({}, draft.reason)
    return this.wantsUsage ? [last, { ...this.#chunk([]), usage: this.#usage(draft) }] : [last]
  }

  failed(_draft, { message, type = 'server_error', code = null }) {
    return [{ error: { message, type, param: null, code } }]
  }

  whole(draft) {
    const content = draft.parts
      .filter(({ kind }) => kind === 'text')
      .map(({ text }) => text)
      .join('')
    const calls = draft.callParts.map(toolCallOf)
    const message = { role: 'assistant', content: content === '' && calls.length > 0 ? null : content, refusal: null }
    if (calls.length > 0) message.tool_calls = calls
    const choices = [{ index: 0, message, logprobs: null, finish_reason: draft.reason }]
    return { ...this.base, object: 'chat.completion', choices, usage: this.#usage(draft) }
  }

  #delta(delta, finishReason = null) {
    return this.#chunk([{ index: 0, delta, logprobs: null, finish_reason: finishReason }])
  }

  #chunk(choices) {
    const chunk = { ...this.base, object: 'chat.completion.chunk', choices }
    return this.wantsUsage ? { ...chunk, usage: null } : chunk
  }

  #usage(draft) {
    const prompt = tokensOf(JSON.stringify(this.body.messages))
    return { prompt_tokens: prompt, completion_tokens: draft.tokens, total_tokens: prompt + draft.tokens }
  }
}

function toolCallOf({ id, name, text }) {
  return { ...(id === undefined ? {} : { id }), type: 'function', function: { name, arguments: text } }
}
