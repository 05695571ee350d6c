// Runs a step's actions in a GPT-Live session (see ActionOutput in run-actions.js).

import { freshId } from '../answer-builder.js'
import { eventError } from '../realtime/parse-event.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { ActionOutput } from '../run-actions.js'
 * @import { ActionValues, CallAction, ErrorAction, FinishReason } from '../scenario/types.js'
 * @import { GptLiveConnection } from './gpt-live-connection.js'
 * @import { GptLiveDialogue } from './gpt-live-dialogue.js'
 */

/** @implements {ActionOutput} */
export class GptLiveOutput {
  /** @type {ReturnType<GptLiveDialogue['beginResponse']> | null} */
  #response = null
  /** The model's speech was stopped. */
  isSilenced = false

  /** @param {GptLiveDialogue} dialogue @param {GptLiveConnection} connection @param {boolean} hasBackend */
  constructor(dialogue, connection, hasBackend) {
    this.dialogue = dialogue
    this.connection = connection
    this.hasBackend = hasBackend
  }

  /** @param {string} piece */
  say(piece) {
    if (!this.isSilenced) this.dialogue.say(piece)
  }

  /** Without a backend each call is a delegation, whose id it may give. @param {CallAction[]} calls @param {() => Promise<void>} pause */
  calls(calls, pause) {
    if (this.hasBackend) return this.#answer.calls(calls, pause)
    for (const { id } of calls) this.dialogue.delegate(id ?? freshId('dlg_'))
    return undefined
  }

  /** @param {FinishReason} reason */
  finish(reason) {
    if (this.hasBackend) this.#answer.finishReason = reason
    else this.skip('finish')
  }

  /** @param {ErrorAction} action */
  error({ message, code = 'server_error' }) {
    this.connection.refuse(eventError(message, { code }))
  }

  /** @param {ActionValues['disconnect']} how */
  disconnect(how) {
    this.connection.disconnect(typeof how === 'boolean' ? {} : how)
  }

  /** @param {string} text */
  malformed(text) {
    this.connection.sendRaw(text)
  }

  /** @param {JsonObject} frame */
  frame(frame) {
    this.connection.send(frame)
  }

  /** @param {string} name */
  skip(name) {
    this.connection.log(`action \`${name}\` skipped: GPT-Live has no such thing`)
  }

  end() {
    this.#response?.finish()
  }

  get #answer() {
    this.#response ??= this.dialogue.beginResponse()
    return this.#response
  }
}
