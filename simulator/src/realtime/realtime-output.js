// Renders a step's actions in a Realtime response (see ActionOutput in run-actions.js).

import { freshId } from '../answer-builder.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { Anomaly } from '../recorder.js'
 * @import { ActionOutput } from '../run-actions.js'
 * @import { ActionValues, CallAction, CloseParameters, ErrorAction, FinishReason } from '../scenario/types.js'
 * @import { EventError } from './parse-event.js'
 * @import { RealtimeSession } from './session.js'
 */

/**
 * @typedef {object} RealtimeChannel the interface of a connection to its dialogue
 * @property {() => RealtimeSession} session
 * @property {(event: JsonObject) => void} send adds an event id
 * @property {(event: JsonObject) => void} sendUnchanged
 * @property {(text: string) => void} sendRaw
 * @property {(how: CloseParameters) => void} disconnect
 * @property {(error: EventError) => void} refuse
 * @property {(error: Error) => void} fail
 * @property {(name: string, why?: string) => void} skip
 * @property {(anomaly: Pick<Anomaly, 'kind' | 'id' | 'name'>) => void} anomaly
 */

/** @implements {ActionOutput} */
export class RealtimeOutput {
  /**
   * @param {import('./response.js').RealtimeResponse} response
   * @param {RealtimeChannel} channel
   */
  constructor(response, channel) {
    this.response = response
    this.channel = channel
  }

  /** @param {string} piece */
  say(piece) {
    if (this.#isOver('say')) return
    this.response.answer.say(piece)
  }

  /** @param {CallAction[]} calls @param {() => Promise<void>} pause */
  calls(calls, pause) {
    return this.#isOver('calls') ? undefined : this.response.answer.calls(calls, pause)
  }

  /** @param {FinishReason} reason */
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

  /** @param {ErrorAction} action */
  error({ message, type = 'server_error', code = 'server_error' }) {
    this.response.end('failed', { error: { type, code, message } })
  }

  /** @param {ActionValues['disconnect']} how */
  disconnect(how) {
    this.channel.disconnect(typeof how === 'boolean' ? {} : how)
  }

  /** @param {string} text */
  malformed(text) {
    this.channel.sendRaw(text)
  }

  /** @param {JsonObject} frame */
  frame(frame) {
    this.channel.sendUnchanged(frame)
  }

  /** @param {string} name */
  skip(name) {
    this.channel.skip(name)
  }

  /** @param {string} name */
  #isOver(name) {
    if (this.response.isOver) this.channel.skip(name, 'the response is over')
    return this.response.isOver
  }
}
