'use strict'
// A transport whose frames the core reads. Each frame is read once, by the method that gets it first.
const { isAnyArrayBuffer } = require('node:util/types')
const { ToolTransport } = require('./transport.js')

/** The most cancellations that are kept for a host that never reads them. */
const MAX_KEPT_CANCELLATIONS = 1000

/**
 * @typedef {import('./wire-transport.js').FrameResult} FrameResult
 * @typedef {Pick<FrameResult, 'calls' | 'cancelled'>} UnreadParts
 */

class WireTransport extends ToolTransport {
  #reader
  /** @type {unknown} */
  #frame
  /** @type {string | null} */
  #problem = null
  /**
   * Calls and cancellations that were read but not returned yet: none is lost if the host passes a later frame first.
   * @type {UnreadParts}
   */
  #waiting = { calls: [], cancelled: [] }
  /**
   * Which parts of the frame were returned. A request for the same part again means a repeated frame, which is read
   * again.
   */
  #taken = { calls: true, cancelled: true }

  /** @param {{ read(frame: string | Buffer): string | null }} reader of the core */
  constructor(reader) {
    super()
    this.#reader = reader
  }

  get problem() {
    return this.#problem
  }

  /** @param {unknown} event */
  receiveToolCalls(event) {
    return this.#take(event, 'calls')
  }

  /** @param {unknown} event */
  receiveCancellations(event) {
    return this.#take(event, 'cancelled')
  }

  /**
   * Called after a frame was read, for subclasses. May throw: the error becomes a problem.
   *
   * @param {FrameResult} _result the core's result for the frame
   */
  onFrameRead(_result) {}

  /**
   * The JSON text of an SDK's object. A subclass may leave out members that the core does not need, and return null if
   * nothing is left.
   *
   * @param {object} event
   * @returns {string | null | undefined}
   */
  toText(event) {
    return JSON.stringify(event)
  }

  /** @template {keyof UnreadParts} Part @param {unknown} event @param {Part} part @returns {UnreadParts[Part]} */
  #take(event, part) {
    if (event !== this.#frame || this.#taken[part]) this.#read(event)
    this.#taken[part] = true
    return /** @type {UnreadParts[Part]} */ (this.#waiting[part].splice(0))
  }

  /** @param {unknown} event */
  #read(event) {
    const { raw, problem } = toRaw(event, value => this.toText(value))
    const text = raw === undefined ? null : this.#reader.read(raw)
    /** @type {FrameResult} */
    const result = text === null ? emptyResult(problem) : JSON.parse(text)
    this.#notifySubclass(result)
    this.#problem = result.problems.length === 0 ? null : result.problems.join('; ')
    this.#waiting.calls.push(...result.calls)
    this.#waiting.cancelled.push(...result.cancelled)
    this.#waiting.cancelled.splice(0, this.#waiting.cancelled.length - MAX_KEPT_CANCELLATIONS)
    this.#taken = { calls: false, cancelled: false }
    this.#frame = event
  }

  /** @param {FrameResult} result */
  #notifySubclass(result) {
    try {
      this.onFrameRead(result)
    } catch (error) {
      result.problems.push(`nothing could be sent: ${/** @type {Partial<Error> | null} */ (error)?.message ?? error}`)
    }
  }
}

/** @param {string | undefined} problem @returns {FrameResult} */
function emptyResult(problem) {
  return { calls: [], cancelled: [], problems: problem === undefined ? [] : [problem] }
}

/**
 * The frame for the core: text and bytes unchanged, an SDK's object as JSON text.
 * @param {unknown} event
 * @param {(value: object) => string | null | undefined} toText
 * @returns {{ raw?: string | Buffer, problem?: string }} without members: the core has nothing to read
 */
function toRaw(event, toText) {
  if (typeof event === 'string') return { raw: event }
  if (ArrayBuffer.isView(event)) return { raw: Buffer.from(event.buffer, event.byteOffset, event.byteLength) }
  if (isAnyArrayBuffer(event)) return { raw: Buffer.from(event) }
  if (typeof event !== 'object' || event === null) {
    return { problem: `an event must be an object, text or bytes, not ${event === null ? null : typeof event}` }
  }
  try {
    const text = toText(event)
    // `toJSON` may return undefined.
    return text === null ? {} : { raw: text ?? 'null' }
  } catch (error) {
    const { message } = /** @type {Partial<Error> | null} */ (error) ?? {}
    return { problem: `the event can't be written as JSON: ${message?.split('\n')[0] ?? error}` }
  }
}

module.exports = { WireTransport }
