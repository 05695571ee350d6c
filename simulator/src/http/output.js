// A step's actions as the answer to one HTTP request: one JSON body, or server-sent events while the draft grows.

import { Draft } from '../draft.js'
import { PROTOCOLS } from '../scenario/protocols.js'

/**
 * @typedef {object} Format how a protocol shows a draft; the members that give frames are for streams
 * @property {string} [idPrefix] of the calls' ids
 * @property {string} [deltaName] where events of the stream are named after their types: the commonest of them
 * @property {string} [endMark] what ends the stream
 * @property {() => object[]} begin
 * @property {(part: import('../draft.js').Part) => object[]} [opened]
 * @property {(part: import('../draft.js').Part, piece: string) => object[]} [grew]
 * @property {(part: import('../draft.js').Part) => object[]} [closed]
 * @property {(draft: Draft) => object[]} end
 * @property {(draft: Draft, error: object) => object[]} failed ends a stream that has begun
 * @property {(draft: Draft) => object} whole the JSON body
 * @property {(draft: Draft, error: object) => object} [failedWhole] where a protocol tells failures in its body as well
 */

/** @implements {import('../perform.js').Output} */
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
    const rendering = { opened: show('opened'), grew: show('grew'), closed: show('closed') }
    this.draft = new Draft(streamed ? rendering : {}, format.idPrefix)
  }

  say(piece) {
    this.draft.say(piece)
  }

  calls(calls, pause) {
    return this.draft.calls(calls, pause)
  }

  finish(reason) {
    this.draft.finishReason = reason
  }

  error({ retryAfterSeconds, ...error }) {
    const { response, format } = this
    const { status } = error
    const tellsItself = status === undefined && format.failedWhole !== undefined
    if (this.#isSent) return
    if (this.#hasBegun || response.headersSent || (tellsItself && this.streamed)) {
      this.#show(() => format.failed(this.draft, error))
      response.end()
    } else if (tellsItself) {
      this.#sendBody(JSON.stringify(format.failedWhole(this.draft, error)))
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
    this.draft.end(this.draft.isWhole)
    if (!this.streamed) return this.#sendBody(JSON.stringify(this.format.whole(this.draft)))
    this.#show(() => this.format.end(this.draft))
    this.response.end(this.format.endMark)
  }

  /** The beginning comes first, and is made first: events may be numbered. */
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
