// Renders a step's actions as the answer to one HTTP request: one JSON body, or server-sent events while the answer
// grows.

import { AnswerBuilder } from '../answer-builder.js'
import { PROTOCOLS } from '../scenario/protocols.js'

/**
 * @typedef {object} Format renders an answer in a protocol; members that return frames are for streams
 * @property {string} [idPrefix] of the calls' ids
 * @property {string} [deltaName] if stream events are named after their type: the most frequent type
 * @property {string} [endMark] terminator of the stream
 * @property {() => object[]} begin
 * @property {(part: import('../answer-builder.js').AnswerPart) => object[]} [opened]
 * @property {(part: import('../answer-builder.js').AnswerPart, piece: string) => object[]} [grew]
 * @property {(part: import('../answer-builder.js').AnswerPart) => object[]} [closed]
 * @property {(answer: AnswerBuilder) => object[]} end
 * @property {(answer: AnswerBuilder, error: object) => object[]} failed ends a started stream with an error
 * @property {(answer: AnswerBuilder) => object} whole the complete JSON body
 * @property {(answer: AnswerBuilder, error: object) => object} [failedWhole] the JSON body of a failure, if the
 *   protocol has one
 */

/** @implements {import('../run-actions.js').ActionOutput} */
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
    Object.assign(this, { response, format, streamed, protocol, log })
    const show =
      name =>
      (...details) =>
        this.#show(() => format[name]?.(...details) ?? [])
    const listener = { opened: show('opened'), grew: show('grew'), closed: show('closed') }
    this.answer = new AnswerBuilder(streamed ? listener : {}, format.idPrefix)
  }

  say(piece) {
    this.answer.say(piece)
  }

  calls(calls, pause) {
    return this.answer.calls(calls, pause)
  }

  finish(reason) {
    this.answer.finishReason = reason
  }

  error({ retryAfterSeconds, ...error }) {
    const { response, format } = this
    const { status } = error
    const hasErrorBody = status === undefined && format.failedWhole !== undefined
    if (this.#isSent) return
    if (this.#hasBegun || response.headersSent || (hasErrorBody && this.streamed)) {
      this.#show(() => format.failed(this.answer, error))
      response.end()
    } else if (hasErrorBody) {
      this.#sendBody(JSON.stringify(format.failedWhole(this.answer, error)))
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

  malformed(text) {
    if (this.streamed) this.#write(this.#event(this.format.deltaName, text))
    else this.#sendBody(text)
  }

  frame(frame) {
    if (this.streamed) this.#write(this.#eventOf(frame))
    else this.#sendBody(JSON.stringify(frame))
  }

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

  /** Sends the opening frames before the first others, and makes them first: events may be numbered. */
  #show(makeFrames) {
    const opening = this.#hasBegun ? [] : this.format.begin()
    this.#hasBegun = true
    for (const frame of [...opening, ...makeFrames()]) this.#write(this.#eventOf(frame))
  }

  #eventOf(frame) {
    return this.#event(frame.type, JSON.stringify(frame))
  }

  #event(type, text) {
    const isNamed = this.format.deltaName !== undefined && typeof type === 'string'
    return `${isNamed ? `event: ${type}\n` : ''}data: ${text}\n\n`
  }

  #write(text) {
    if (this.#isSent) return
    if (!this.response.headersSent) {
      this.response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
    }
    this.response.write(text)
  }

  #sendBody(text) {
    if (this.#isSent) return
    this.#isSent = true
    this.response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  }
}
