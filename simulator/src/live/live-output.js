// Renders a step's actions on a Live connection (see ActionOutput in run-actions.js).

import { randomInt } from 'node:crypto'
import * as frames from './server-frames.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { ActionOutput } from '../run-actions.js'
 * @import { ActionValues, CallAction, ErrorAction } from '../scenario/types.js'
 * @import { LiveChannel } from './live-dialogue.js'
 * @import { FunctionCallPart } from './server-frames.js'
 */

/** @implements {ActionOutput} */
export class LiveOutput {
  /** Effects of the step, which LiveDialogue reads. */
  called = false
  wasInterrupted = false
  spokenChars = 0

  /**
   * @param {LiveChannel} channel
   * @param {import('./pending-calls.js').PendingCalls} pending
   */
  constructor(channel, pending) {
    this.channel = channel
    this.pending = pending
  }

  /** @param {string} piece */
  say(piece) {
    const { audioOut, transcribeOut } = this.channel.speech
    this.spokenChars += piece.length
    this.channel.send(audioOut ? frames.audioPart(this.channel.toneMs) : frames.textPart(piece))
    if (transcribeOut) this.channel.send(frames.outputTranscription(piece))
  }

  /** @param {CallAction[]} calls */
  calls(calls) {
    const ready = calls.map(call => ({ call, functionCall: functionCallOf(call) }))
    /** @param {NonNullable<CallAction['parts']>} place */
    const sendParts = place => {
      for (const { call, functionCall } of ready)
        if (call.parts === place) this.channel.send(frames.callPart(partOf(call, functionCall)))
    }
    this.called = true
    for (const { call, functionCall } of ready)
      this.pending.add(call.parts === 'only' ? partOf(call, functionCall) : functionCall)
    sendParts('before')
    const regular = ready.filter(({ call }) => call.parts !== 'only').map(({ functionCall }) => functionCall)
    if (regular.length > 0) this.channel.send(frames.toolCall(regular))
    sendParts('after')
    sendParts('only')
  }

  /** @param {ActionValues['cancel']} which */
  cancel(which) {
    const ids = which === 'all' ? this.pending.openIds : which
    this.pending.cancel(ids)
    this.channel.send(frames.toolCallCancellation(ids))
  }

  interrupt() {
    this.wasInterrupted = true
    this.channel.send(frames.interrupted())
    this.channel.send(frames.turnComplete())
  }

  /** @param {ActionValues['disconnect']} how */
  disconnect(how) {
    this.channel.disconnect(typeof how === 'boolean' ? {} : how)
  }

  /** @param {ErrorAction} action */
  error({ message }) {
    this.channel.disconnect({ code: 1011, reason: message })
  }

  /** @param {string} text */
  malformed(text) {
    this.channel.sendRaw(text)
  }

  /** @param {JsonObject} frame */
  frame(frame) {
    this.channel.send(frame)
  }

  /** @param {ActionValues['goAway']} action */
  goAway({ timeLeft }) {
    this.channel.send(frames.goAway(timeLeft))
  }

  /** @param {ActionValues['resumption']} update */
  resumption(update) {
    this.channel.send(frames.sessionResumptionUpdate(update))
  }

  /** @param {string} name */
  skip(name) {
    this.channel.skip(name)
  }
}

/** @param {CallAction} call @returns {FunctionCallPart} */
function functionCallOf({ id, name, args, rawArgs }) {
  const given = id === undefined ? freshId() : id
  return { ...(given === null ? {} : { id: given }), name, args: rawArgs ?? args ?? {} }
}

/** An id in the service's format, random so that a restarted simulator does not repeat one. */
export function freshId() {
  return `function-call-${randomInt(1e9, 1e10 - 1)}${randomInt(1e8, 1e9 - 1)}`
}

/** @param {CallAction} call @param {FunctionCallPart} functionCall @returns {FunctionCallPart} */
function partOf(call, { id, name, args }) {
  return { ...(call.partId === true && id !== undefined ? { id } : {}), name, args }
}
