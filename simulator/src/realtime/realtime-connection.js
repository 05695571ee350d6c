// One Realtime WebSocket: handles each client event, or answers it with an `error` event that has its id.

import { freshId } from '../answer-builder.js'
import { flatFunctions } from '../openai/flat-tools.js'
import { SocketConnection } from '../socket/socket-connection.js'
import { RealtimeDialogue } from './realtime-dialogue.js'
import { EventError, decodeAudio, eventError, parseEvent } from './parse-event.js'
import { createSession, updateSession } from './session.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { ConnectionParts } from '../socket/socket-endpoint.js'
 * @import { RealtimeChannel } from './realtime-output.js'
 * @import { RealtimeSession } from './session.js'
 */

const NO_MODEL = 4000

export class RealtimeConnection extends SocketConnection {
  /** @type {RealtimeSession} as last sent to the client */
  session
  #dialogue

  /** @param {Omit<ConnectionParts, 'request'> & { model: string | null }} parts `model`: the requested one */
  constructor({ model, ...parts }) {
    super(parts)
    this.session = createSession(model ?? 'none')
    this.#dialogue = new RealtimeDialogue(this.host.scenario(), this.#makeChannel(), { connection: this.number })
    if (model === null) {
      this.#refuseWithoutModel()
      return
    }
    this.log(`session: model ${model}`)
    this.#sendEvent({ type: 'session.created', session: this.session })
    this.host.ready(this)
  }

  #refuseWithoutModel() {
    this.#sendError(eventError('the address has no `model` parameter', { code: 'missing_model' }))
    this.disconnect({ code: NO_MODEL, reason: 'invalid_request_error.missing_model' })
  }

  /** @returns {RealtimeChannel} */
  #makeChannel() {
    return {
      session: () => this.session,
      send: event => this.#sendEvent(event),
      sendUnchanged: event => this.send(event),
      sendRaw: text => this.sendRaw(text),
      disconnect: how => this.disconnect(how),
      refuse: error => this.#sendError(error),
      fail: error => this.fail(error),
      skip: (name, why = 'OpenAI Realtime has no such thing') => this.log(`action \`${name}\` skipped: ${why}`),
      anomaly: anomaly => this.host.anomaly({ connection: this.number, ...anomaly }),
    }
  }

  /** @param {JsonObject} event */
  #sendEvent({ type, ...event }) {
    this.send({ type, event_id: freshId('event_'), ...event })
  }

  /** @param {EventError} error @param {string | null} [eventId] of the client event */
  #sendError({ error }, eventId = null) {
    this.log(`refused: ${error.message}`)
    this.#sendEvent({ type: 'error', error: { ...error, event_id: eventId } })
  }

  onClose() {
    this.#dialogue.stop()
  }

  /** @param {Buffer} bytes */
  receive(bytes) {
    const { json, text, problem } = parseEvent(bytes)
    this.record({ json, text })
    try {
      if (problem !== null) throw problem
      this[HANDLERS[/** @type {keyof typeof HANDLERS} */ (json.type)]](json)
    } catch (error) {
      if (!(error instanceof EventError)) throw error
      this.#sendError(error, typeof json?.event_id === 'string' ? json.event_id : null)
    }
  }

  /** @param {JsonObject} event */
  onSessionUpdate({ session }) {
    this.session = updateSession(this.session, session, this.#dialogue.hasSpoken)
    this.log(`session updated: ${flatFunctions(this.session).length} tools`)
    this.#sendEvent({ type: 'session.updated', session: this.session })
  }

  /** @param {JsonObject} event */
  onAppend({ audio }) {
    this.#dialogue.appendAudio(decodeAudio(audio, 'audio'))
  }

  onCommit() {
    this.#dialogue.commitAudio()
  }

  onClear() {
    this.#dialogue.clearAudio()
  }

  onOutputClear() {
    throw eventError('`output_audio_buffer.clear` is for WebRTC and SIP; over a WebSocket the client plays the audio', {
      code: 'invalid_value',
    })
  }

  /** @param {JsonObject} event */
  onItemCreate({ item: given, previous_item_id: after }) {
    /** @type {JsonObject} */
    const item = { id: freshId('item_'), object: 'realtime.item', status: 'completed', ...given }
    for (const [index, part] of (given.content ?? []).entries()) {
      if (part.type === 'input_audio') decodeAudio(part.audio, `item.content[${index}].audio`)
    }
    if (item.type === 'function_call') item.call_id ??= freshId('call_')
    if (item.type === 'function_call_output') this.#checkAnswer(item.call_id)
    const shown = {
      ...item,
      ...(item.content === undefined ? {} : { content: item.content.map(withoutAudio) }),
    }
    this.#dialogue.sendItem(shown, this.#dialogue.conversation.add({ item: shown }, after))
  }

  /** @param {string} callId */
  #checkAnswer(callId) {
    const { call, answers } = this.#dialogue.conversation.callOf(callId)
    /** @param {import('../recorder.js').Anomaly['kind']} kind */
    const anomaly = kind => this.host.anomaly({ connection: this.number, kind, id: callId, name: call?.name })
    if (call === undefined) {
      anomaly('unknown_id')
      throw eventError(`tool call id \`${callId}\` not found in conversation`, {
        param: 'item.call_id',
        code: 'invalid_tool_call_id',
      })
    }
    if (answers > 0) anomaly('answered_twice')
    else if (call.status !== 'completed') anomaly('answered_cancelled')
  }

  /** @param {JsonObject} event */
  onItemRetrieve({ item_id: id }) {
    this.#sendEvent({ type: 'conversation.item.retrieved', item: this.#dialogue.conversation.get(id, 'item_id').item })
  }

  /** @param {JsonObject} event */
  onItemDelete({ item_id: id }) {
    this.#dialogue.conversation.remove(id)
    this.#sendEvent({ type: 'conversation.item.deleted', item_id: id })
  }

  /** @param {JsonObject} event */
  onItemTruncate({ item_id: id, content_index: index, audio_end_ms: end }) {
    const { item, audioMs = 0 } = this.#dialogue.conversation.get(id, 'item_id')
    if (item.role !== 'assistant' || item.content[index]?.type !== 'output_audio') {
      throw eventError('only audio of the model can be truncated', {
        param: 'item_id',
        code: 'unsupported_content_type',
      })
    }
    if (end > audioMs) {
      throw eventError(`the audio of ${audioMs} ms is already shorter than ${end} ms`, {
        param: 'audio_end_ms',
        code: 'invalid_value',
      })
    }
    delete item.content[index].transcript
    this.#sendEvent({ type: 'conversation.item.truncated', item_id: id, content_index: index, audio_end_ms: end })
  }

  /** @param {JsonObject} event */
  onResponseCreate({ response = {} }) {
    this.#dialogue.respond(response)
  }

  /** @param {JsonObject} event */
  onResponseCancel({ response_id: id }) {
    const active = this.#dialogue.activeId
    if (active === null || (id !== undefined && id !== active)) {
      throw eventError('cancellation failed: no active response found', { code: 'response_cancel_not_active' })
    }
    this.#dialogue.cancel('client_cancelled')
  }
}

const HANDLERS = /** @type {const} */ ({
  'session.update': 'onSessionUpdate',
  'input_audio_buffer.append': 'onAppend',
  'input_audio_buffer.commit': 'onCommit',
  'input_audio_buffer.clear': 'onClear',
  'output_audio_buffer.clear': 'onOutputClear',
  'conversation.item.create': 'onItemCreate',
  'conversation.item.retrieve': 'onItemRetrieve',
  'conversation.item.delete': 'onItemDelete',
  'conversation.item.truncate': 'onItemTruncate',
  'response.create': 'onResponseCreate',
  'response.cancel': 'onResponseCancel',
})

/** @param {JsonObject} part of an item's content */
function withoutAudio({ audio: _audio, ...part }) {
  return part
}
