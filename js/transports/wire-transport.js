'use strict'
// A transport whose frames the core reads: once each, whichever method of the transport sees a frame first.
const { isAnyArrayBuffer } = require('node:util/types')
const { ToolTransport } = require('./transport.js')

/** A host that never asks for cancellations must not make us remember forever. */
const CANCELLED_KEPT = 1000

class WireTransport extends ToolTransport {
  #reader
  #frame
  #problem = null
  /** What was read and not handed out yet: nothing of it is lost where a host asks for a later frame first. */
  #waiting = { calls: [], cancelled: [] }
  /** Which halves of the frame were handed out: asked for a second time, it is a frame that came again. */
  #taken = { calls: true, cancelled: true }

  /** @param {{ read(frame: string | Buffer): string | null }} reader of the core */
  constructor(reader) {
    super()
    this.#reader = reader
  }

  get problem() {
    return this.#problem
  }

  receiveToolCalls(event) {
    return this.#take(event, 'calls')
  }

  receiveCancellations(event) {
    return this.#take(event, 'cancelled')
  }

  /**
   * For a subclass that has to act on what was read. May throw: that becomes a problem.
   *
   * @param {object} _heard what the core says of the frame
   */
  onHeard(_heard) {}

  /**
   * The JSON text of an SDK's object, for a subclass that need not pass everything to the core.
   *
   * @param {object} event
   */
  toText(event) {
    return JSON.stringify(event)
  }

  #take(event, half) {
    if (event !== this.#frame || this.#taken[half]) this.#read(event)
    this.#taken[half] = true
    return this.#waiting[half].splice(0)
  }

  #read(event) {
    const { raw, problem } = toRaw(event, value => this.toText(value))
    const text = raw === undefined ? null : this.#reader.read(raw)
    const heard = text === null ? nothing(problem) : JSON.parse(text)
    this.#tell(heard)
    this.#problem = heard.problems.length === 0 ? null : heard.problems.join('; ')
    this.#waiting.calls.push(...heard.calls)
    this.#waiting.cancelled.push(...heard.cancelled)
    this.#waiting.cancelled.splice(0, this.#waiting.cancelled.length - CANCELLED_KEPT)
    this.#taken = { calls: false, cancelled: false }
    this.#frame = event
  }

  #tell(heard) {
    try {
      this.onHeard(heard)
    } catch (error) {
      heard.problems.push(`nothing could be sent: ${error?.message ?? error}`)
    }
  }
}

function nothing(problem) {
  return { calls: [], cancelled: [], problems: problem === undefined ? [] : [problem] }
}

/** The frame as the core takes it: text and bytes as they came, an SDK's object as its JSON text. */
function toRaw(event, toText) {
  if (typeof event === 'string') return { raw: event }
  if (ArrayBuffer.isView(event)) return { raw: Buffer.from(event.buffer, event.byteOffset, event.byteLength) }
  if (isAnyArrayBuffer(event)) return { raw: Buffer.from(event) }
  if (typeof event !== 'object' || event === null) {
    return { problem: `an event must be an object, text or bytes, not ${event === null ? null : typeof event}` }
  }
  try {
    // What a `toJSON` gives may be nothing.
    return { raw: toText(event) ?? 'null' }
  } catch (error) {
    return { problem: `the event can't be written as JSON: ${error?.message?.split('\n')[0] ?? error}` }
  }
}

module.exports = { WireTransport }
