// Renders a step's actions in a Realtime response (see ActionOutput in run-actions.js).

import { freshId } from '../answer-builder.js'

/** @implements {import('../run-actions.js').ActionOutput} */
export class RealtimeOutput {
  /**
   * @param {import('./response.js').RealtimeResponse} response
   * @param {object} channel
   * @param {(event: object) => void} channel.send adds an event id
   * @param {(event: object) => void} channel.sendUnchanged
   * @param {(text: string) => void} channel.sendRaw
   * @param {(how: { code?: number, reason?: string }) => void} channel.disconnect
   * @param {(name: string, why?: string) => void} channel.skip
   */
  constructor(response, channel) {
    this.response = response
    this.channel = channel
  }

  say(piece) {
    if (this.#isOver('say')) return
    this.response.answer.say(piece)
  }

  calls(calls, pause) {
    return this.#isOver('calls') ? undefined : this.response.answer.calls(calls, pause)
  }

  finish(reason) {
    this.response.answer.finishReason = reason
  }

  /** The service cancels whole responses, never single calls. */
  cancel() {
    this.response.end('cancelled', { reason: 'turn_detected' })
  }

  /** Simulates a short speech of the user. */
  interrupt() {
    const speech = { item_id: freshId('item_') }
    this.channel.send({ type: 'input_audio_buffer.speech_started', audio_start_ms: 0, ...speech })
    this.cancel()
    this.channel.send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: 0, ...speech })
  }

  error({ message, type = 'server_error', code = 'server_error' }) {
    this.response.end('failed', { error: { type, code, message } })
  }

  disconnect(how) {
    this.channel.disconnect(how === true ? {} : how)
  }

  malformed(text) {
    this.channel.sendRaw(text)
  }

  frame(frame) {
    this.channel.sendUnchanged(frame)
  }

  skip(name) {
    this.channel.skip(name)
  }

  #isOver(name) {
    if (this.response.isOver) this.channel.skip(name, 'the response is over')
    return this.response.isOver
  }
}
