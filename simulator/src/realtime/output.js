// How a step's actions come out in a Realtime response (see perform.js for the shape of an output).

import { freshId } from '../draft.js'

/** @implements {import('../perform.js').Output} */
export class RealtimeOutput {
  /**
   * @param {import('./response.js').RealtimeResponse} response
   * @param {object} wire
   * @param {(event: object) => void} wire.send makes the event an id
   * @param {(event: object) => void} wire.sendAsItIs
   * @param {(text: string) => void} wire.sendRaw
   * @param {(how: { code?: number, reason?: string }) => void} wire.disconnect
   * @param {(name: string, why?: string) => void} wire.skip
   */
  constructor(response, wire) {
    this.response = response
    this.wire = wire
  }

  say(piece) {
    if (this.#isOver('say')) return
    this.response.draft.say(piece)
  }

  calls(calls, pause) {
    return this.#isOver('calls') ? undefined : this.response.draft.calls(calls, pause)
  }

  finish(reason) {
    this.response.draft.finishReason = reason
  }

  /** The service cancels a response, never single calls of it. */
  cancel() {
    this.response.end('cancelled', { reason: 'turn_detected' })
  }

  /** As if the user had begun to speak, and stopped. */
  interrupt() {
    const speech = { item_id: freshId('item_') }
    this.wire.send({ type: 'input_audio_buffer.speech_started', audio_start_ms: 0, ...speech })
    this.cancel()
    this.wire.send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: 0, ...speech })
  }

  error({ message, type = 'server_error', code = 'server_error' }) {
    this.response.end('failed', { error: { type, code, message } })
  }

  disconnect(how) {
    this.wire.disconnect(how === true ? {} : how)
  }

  malformed(text) {
    this.wire.sendRaw(text)
  }

  frame(frame) {
    this.wire.sendAsItIs(frame)
  }

  skip(name) {
    this.wire.skip(name)
  }

  #isOver(name) {
    if (this.response.isOver) this.wire.skip(name, 'the response is over')
    return this.response.isOver
  }
}
