// Renders a step's actions as the answer to one HTTP request: one JSON body, or server-sent events while the answer
// grows.

import { AnswerBuilder } from '../answer-builder.js'
import { PROTOCOLS } from '../scenario/protocols.js'

/**
 * @import { AnswerPart } from '../answer-builder.js'
 * @import { JsonObject } from '../parse-json.js'
 * @import { ActionOutput } from '../run-actions.js'
 * @import { CallAction, ErrorAction, FinishReason } from '../scenario/types.js'
 */

/**
 * @typedef {object} Format renders an answer in a protocol; members that return frames are for streams
 * @property {string} [idPrefix] of the calls' ids
 * @property {string} [deltaName] if stream events are named after their type: the most frequent type
 * @property {string} [endMark] terminator of the stream
 * @property {() => JsonObject[]} begin
 * @property {(part: AnswerPart) => JsonObject[]} [opened]
 * @property {(part: AnswerPart, piece: string) => JsonObject[]} [grew]
 * @property {(part: AnswerPart) => JsonObject[]} [closed]
 * @property {(answer: AnswerBuilder) => JsonObject[]} end
 * @property {(answer: AnswerBuilder, error: ErrorAction) => JsonObject[]} failed ends a started stream with an error
 * @property {(answer: AnswerBuilder) => JsonObject} whole the complete JSON body
 * @property {(answer: AnswerBuilder, error: ErrorAction) => JsonObject} [failedWhole] the JSON body of a failure, if
 *   the protocol has one
 */

/** @implements {ActionOutput} */
export class HttpOutput {
  #hasBegun = false
  #isSent = false

  /**
   * @param {object} parts
   * @param {import('node:http').ServerResponse} parts.response
   * @param {Format} parts.format
   * @param {boolean} parts.streamed
   * @param {import('./answer-request.js').HttpProtocol} parts.protocol
   * @param {(line: string) => void} parts.log
   */
  constructor({ response, format, streamed, protocol, log }) {
    this.response = response
    this.format = format
    this.streamed = streamed
    this.protocol = protocol
    this.log = log
    /** @type {import('../answer-builder.js').AnswerListener} */
    const listener = {
      opened: part => this.#show(() => format.opened?.(part) ?? []),
      grew: (part, piece) => this.#show(() => format.grew?.(part, piece) ?? []),
      closed: part => this.#show(() => format.closed?.(part) ?? []),
    }
    this.answer = new AnswerBuilder(streamed ? listener : {}, format.idPrefix)
  }

  /** @param {string} piece */
  say(piece) {
    this.answer.say(piece)
  }

  /** @param {CallAction[]} calls @param {() => Promise<void>} pause */
  calls(calls, pause) {
    return this.answer.calls(calls, pause)
  }

  /** @param {FinishReason} reason */
  finish(reason) {
    this.answer.finishReason = reason
  }

  /** @param {ErrorAction} action */
  error({ retryAfterSeconds, ...error }) {
    const { response, format } = this
    const { status } = error
    const failedWhole = status === undefined ? format.failedWhole : undefined
    if (this.#isSent) return
    if (this.#hasBegun || response.headersSent || (failedWhole !== undefined && this.streamed)) {
      this.#show(() => format.failed(this.answer, error))
      response.end()
    } else if (failedWhole !== undefined) {
      this.#sendBody(JSON.stringify(failedWhole.call(format, this.answer, error)))
    } else {
      if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds))
      this.protocol.sendError(response, { ...error, status: status ?? 500 })
    }
    this.#isSent = true
  }

  disconnect() {
    this.#isSent = true
    this.response.destroy()
  }

  /** @param {string} text */
  malformed(text) {
    if (this.streamed) this.#write(this.#event(this.format.deltaName, text))
    else this.#sendBody(text)
  }

  /** @param {JsonObject} frame */
  frame(frame) {
    if (this.streamed) this.#write(this.#eventOf(frame))
    else this.#sendBody(JSON.stringify(frame))
  }

  /** @param {string} name */
  skip(name) {
    const { name: protocol } = this.protocol
    this.log(`${protocol} action \`${name}\` skipped: ${PROTOCOLS[protocol].title} has no such thing`)
  }

  end() {
    if (this.#isSent) return
    this.answer.end(this.answer.isWhole)
    if (!this.streamed) return this.#sendBody(JSON.stringify(this.format.whole(this.answer)))
    this.#show(() => this.format.end(this.answer))
    this.response.end(this.format.endMark)
  }

  /**
   * Sends the opening frames before the first others, and makes them first: events may be numbered.
   *
   * @param {() => JsonObject[]} makeFrames
   */
  #show(makeFrames) {
    const opening = this.#hasBegun ? [] : this.format.begin()
    this.#hasBegun = true
    for (const frame of [...opening, ...makeFrames()]) this.#write(this.#eventOf(frame))
  }

  /** @param {JsonObject} frame */
  #eventOf(frame) {
    return this.#event(frame.type, JSON.stringify(frame))
  }

  /** @param {unknown} type named if it is a string @param {string} text */
  #event(type, text) {
    const isNamed = this.format.deltaName !== undefined && typeof type === 'string'
    return `${isNamed ? `event: ${type}\n` : ''}data: ${text}\n\n`
  }

  /** @param {string} text */
  #write(text) {
    if (this.#isSent) return
    if (!this.response.headersSent) {
      this.response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
    }
    this.response.write(text)
  }

  /** @param {string} text */
  #sendBody(text) {
    if (this.#isSent) return
    this.#isSent = true
    this.response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  }
}
