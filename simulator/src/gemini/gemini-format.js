// Renders a GenerateContentResponse: as one JSON body, or as the chunks of a stream.

import { freshId, tokensOf } from '../answer-builder.js'
import { jsonOrText } from '../parse-json.js'
import { errorBody } from './gemini-errors.js'

/**
 * @import { AnswerBuilder, AnswerPart } from '../answer-builder.js'
 * @import { Format } from '../http/http-output.js'
 * @import { JsonObject } from '../parse-json.js'
 * @import { ErrorAction } from '../scenario/types.js'
 */

/** By the scenario's finish reason. */
const FINISH_REASONS = { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' }

/** @implements {Format} */
export class GeminiFormat {
  /** @param {JsonObject} body the request */
  constructor({ contents, systemInstruction, tools = [] }) {
    this.promptTokens = tokensOf(JSON.stringify([contents, systemInstruction ?? '', tools]))
    this.responseId = freshId('')
  }

  begin() {
    return []
  }

  /** Text is streamed in pieces, a call as a whole. @param {AnswerPart} part @param {string} piece */
  grew(part, piece) {
    return part.kind === 'text' ? [this.#chunk([{ text: piece }])] : []
  }

  /** @param {AnswerPart} part */
  closed(part) {
    return part.kind === 'call' ? [this.#chunk([callPart(part)])] : []
  }

  /** @param {AnswerBuilder} answer */
  end(answer) {
    return [this.#chunk([{ text: '' }], answer)]
  }

  /** @param {AnswerBuilder} _answer @param {ErrorAction} error */
  failed(_answer, error) {
    return [errorBody(error)]
  }

  /** @param {AnswerBuilder} answer */
  whole(answer) {
    const parts = answer.parts.map(part => (part.kind === 'text' ? { text: part.text } : callPart(part)))
    return this.#chunk(parts.length === 0 ? [{ text: '' }] : parts, answer)
  }

  /** @param {JsonObject[]} parts @param {AnswerBuilder} [ended] the answer, if this is its end */
  #chunk(parts, ended) {
    const finish = ended === undefined ? {} : { finishReason: FINISH_REASONS[ended.reason] }
    const candidates = ended?.tokens ?? 0
    return {
      candidates: [{ content: { parts, role: 'model' }, ...finish, index: 0 }],
      usageMetadata: {
        promptTokenCount: this.promptTokens,
        candidatesTokenCount: candidates,
        totalTokenCount: this.promptTokens + candidates,
      },
      modelVersion: 'toolgate-simulator',
      responseId: this.responseId,
    }
  }
}

/** @param {AnswerPart} part */
function callPart({ id, name, text }) {
  return { functionCall: { ...(id === undefined ? {} : { id }), name, args: jsonOrText(text) } }
}
