// How a step's actions sound on a Live connection (see perform.js for the shape of an output).

import { randomInt } from 'node:crypto'
import * as frames from './server-frames.js'

/** @implements {import('../perform.js').Output} */
export class LiveOutput {
  /** What the step has done, for the dialogue to go on from. */
  called = false
  wasInterrupted = false
  spokenChars = 0

  /**
   * @param {object} wire
   * @param {(frame: object) => void} wire.send
   * @param {(text: string) => void} wire.sendRaw
   * @param {(how: { code?: number, reason?: string }) => void} wire.disconnect
   * @param {(name: string) => void} wire.skip
   * @param {{ audioOut: boolean, transcribeOut: boolean }} wire.speech
   * @param {number} wire.toneMs
   * @param {import('./pending-calls.js').PendingCalls} pending
   */
  constructor(wire, pending) {
    this.wire = wire
    this.pending = pending
  }

  say(piece) {
    const { audioOut, transcribeOut } = this.wire.speech
    this.spokenChars += piece.length
    this.wire.send(audioOut ? frames.audioPart(this.wire.toneMs) : frames.textPart(piece))
    if (transcribeOut) this.wire.send(frames.outputTranscription(piece))
  }

  calls(calls) {
    const ready = calls.map(call => ({ call, functionCall: functionCallOf(call) }))
    const sendParts = place => {
      for (const { call, functionCall } of ready)
        if (call.parts === place) this.wire.send(frames.callPart(partOf(call, functionCall)))
    }
    this.called = true
    for (const { call, functionCall } of ready)
      this.pending.add(call.parts === 'only' ? partOf(call, functionCall) : functionCall)
    sendParts('before')
    const regular = ready.filter(({ call }) => call.parts !== 'only').map(({ functionCall }) => functionCall)
    if (regular.length > 0) this.wire.send(frames.toolCall(regular))
    sendParts('after')
    sendParts('only')
  }

  cancel(which) {
    const ids = which === 'all' ? this.pending.openIds : which
    this.pending.cancel(ids)
    this.wire.send(frames.toolCallCancellation(ids))
  }

  interrupt() {
    this.wasInterrupted = true
    this.wire.send(frames.interrupted())
    this.wire.send(frames.turnComplete())
  }

  disconnect(how) {
    this.wire.disconnect(how === true ? {} : how)
  }

  error({ message }) {
    this.wire.disconnect({ code: 1011, reason: message })
  }

  malformed(text) {
    this.wire.sendRaw(text)
  }

  frame(frame) {
    this.wire.send(frame)
  }

  goAway({ timeLeft }) {
    this.wire.send(frames.goAway(timeLeft))
  }

  resumption(update) {
    this.wire.send(frames.sessionResumptionUpdate(update))
  }

  skip(name) {
    this.wire.skip(name)
  }
}

function functionCallOf({ id, name, args, rawArgs }) {
  const given = id === undefined ? freshId() : id
  return { ...(given === null ? {} : { id: given }), name, args: rawArgs ?? args ?? {} }
}

/** Ids of the service look like this; a simulator that restarts must not repeat one. */
function freshId() {
  return `function-call-${randomInt(1e9, 1e10 - 1)}${randomInt(1e8, 1e9 - 1)}`
}

function partOf(call, { id, name, args }) {
  return { ...(call.partId === true && id !== undefined ? { id } : {}), name, args }
}
