// One response of the Realtime API: sends its events, from response.created to response.done.

import { AnswerBuilder, freshId, tokensOf } from '../answer-builder.js'
import { TONE_RATE, tone } from '../tone.js'

/**
 * @import { AnswerPart } from '../answer-builder.js'
 * @import { JsonObject } from '../parse-json.js'
 * @import { FinishReason } from '../scenario/types.js'
 * @import { ItemEntry } from './conversation.js'
 */

const TONE_BYTES_PER_MS = (TONE_RATE * 2) / 1000

// Reason of an incomplete response, by the scenario's finish reason.
/** @type {Partial<Record<FinishReason, string>>} */
const INCOMPLETE_REASONS = { length: 'max_output_tokens', content_filter: 'content_filter' }

export class RealtimeResponse {
  id = freshId('resp_')
  isOver = false
  spoke = false
  /** @type {(ItemEntry & { audioMs: number })[]} one for each part of the answer */
  #entries = []

  /**
   * @param {object} parts
   * @param {(event: JsonObject) => void} parts.send
   * @param {import('./conversation.js').RealtimeConversation} parts.conversation
   * @param {import('./session.js').ResponseConfig} parts.config
   * @param {number} parts.inputTokens
   * @param {number} parts.toneMs
   */
  constructor({ send, conversation, config, inputTokens, toneMs }) {
    this.send = send
    this.conversation = conversation
    this.config = config
    this.inputTokens = inputTokens
    this.toneMs = toneMs
    this.isSpoken = config.output_modalities[0] === 'audio'
    this.answer = new AnswerBuilder({
      opened: part => this.#opened(part),
      grew: (part, piece) => this.#grew(part, piece),
      closed: part => this.#closed(part),
    })
  }

  begin() {
    this.conversation.addResponseStart(this.id)
    this.send({ type: 'response.created', response: this.#describe('in_progress', null) })
  }

  /**
   * @param {'completed' | 'cancelled' | 'incomplete' | 'failed'} status
   * @param {JsonObject} [details] of the status: a reason or an error
   */
  end(status, details) {
    if (this.isOver) return
    this.answer.end(status === 'completed')
    this.isOver = true
    for (const entry of this.#entries) entry.isDropped = status === 'cancelled'
    const sent = details === undefined ? null : { type: status, ...details }
    this.send({ type: 'response.done', response: this.#describe(status, sent) })
  }

  /** Ends as the scenario defines: completed or incomplete. */
  finish() {
    const reason = INCOMPLETE_REASONS[this.answer.reason]
    if (reason === undefined) this.end('completed')
    else this.end('incomplete', { reason })
  }

  /** @param {AnswerPart} part */
  #opened(part) {
    const base = { id: freshId('item_'), object: 'realtime.item', status: 'in_progress' }
    /** @type {JsonObject} */
    const item =
      part.kind === 'text'
        ? { ...base, type: 'message', role: 'assistant', content: [] }
        : {
            ...base,
            type: 'function_call',
            name: part.name,
            ...(part.id === undefined ? {} : { call_id: part.id }),
            arguments: '',
          }
    const entry = { item, response: this.id, audioMs: 0 }
    this.#entries.push(entry)
    const previous = this.conversation.add(entry)
    this.#sendEvent('response.output_item.added', part, { item: structuredClone(item) }, { whole: true })
    if (this.conversation.id !== null)
      this.send({ type: 'conversation.item.added', previous_item_id: previous, item: structuredClone(item) })
    if (part.kind === 'text') this.#sendEvent('response.content_part.added', part, { part: this.#content('', 'part') })
  }

  /** @param {AnswerPart} part @param {string} piece */
  #grew(part, piece) {
    if (part.kind === 'call')
      return this.#sendEvent('response.function_call_arguments.delta', part, { delta: piece, ...callId(part) })
    if (!this.isSpoken) return this.#sendEvent('response.output_text.delta', part, { delta: piece })
    const audio = tone(this.toneMs)
    this.spoke = true
    this.#entries[part.index].audioMs += audio.length / TONE_BYTES_PER_MS
    this.#sendEvent('response.output_audio_transcript.delta', part, { delta: piece })
    return this.#sendEvent('response.output_audio.delta', part, { delta: audio.toString('base64') })
  }

  /** @param {AnswerPart} part */
  #closed(part) {
    const { item } = this.#entries[part.index]
    item.status = part.status
    if (part.kind === 'call') {
      item.arguments = part.text
      // sent for an incomplete call as well: only the item's status shows whether it may run
      this.#sendEvent('response.function_call_arguments.done', part, {
        name: part.name,
        arguments: part.text,
        ...callId(part),
      })
    } else {
      item.content = [this.#content(part.text, 'output_')]
      this.#textDone(part)
    }
    const sent = structuredClone(item)
    const isKept = this.conversation.id !== null && this.conversation.find(item.id) !== undefined
    if (isKept) this.send({ type: 'conversation.item.done', item: sent })
    this.#sendEvent('response.output_item.done', part, { item: sent }, { whole: true })
  }

  /** @param {AnswerPart} part */
  #textDone(part) {
    if (this.isSpoken) {
      this.#sendEvent('response.output_audio.done', part, {})
      this.#sendEvent('response.output_audio_transcript.done', part, { transcript: part.text })
    } else {
      this.#sendEvent('response.output_text.done', part, { text: part.text })
    }
    this.#sendEvent('response.content_part.done', part, { part: this.#content(part.text, 'part') })
  }

  /**
   * A content part. Its type has no `output_` prefix in its own events (`place` is `part`), only in the item.
   *
   * @param {string} text
   * @param {'part' | 'output_'} place
   */
  #content(text, place) {
    const prefix = place === 'part' ? '' : place
    return this.isSpoken ? { type: `${prefix}audio`, transcript: text } : { type: `${prefix}text`, text }
  }

  /**
   * @param {string} type
   * @param {AnswerPart} part
   * @param {JsonObject} more
   * @param {{ whole?: boolean }} [options] `whole`: the event has the whole item, and needs no reference to it
   */
  #sendEvent(type, part, more, { whole = false } = {}) {
    const { id } = this.#entries[part.index].item
    const place = whole ? {} : { item_id: id, ...(part.kind === 'text' ? { content_index: 0 } : {}) }
    this.send({ type, response_id: this.id, ...place, output_index: part.index, ...more })
  }

  /** @param {string} status @param {JsonObject | null} details */
  #describe(status, details) {
    const { output_modalities: modalities, max_output_tokens: maxTokens, audio, metadata = null } = this.config
    return {
      object: 'realtime.response',
      id: this.id,
      status,
      status_details: details,
      output: this.#entries.map(({ item }) => structuredClone(item)),
      conversation_id: this.conversation.id,
      output_modalities: modalities,
      max_output_tokens: maxTokens,
      audio: { output: { format: audio.output.format, voice: audio.output.voice } },
      usage: status === 'in_progress' ? null : this.#usage(),
      metadata,
    }
  }

  #usage() {
    const spoken = this.isSpoken
      ? tokensOf(this.answer.parts.map(({ kind, text }) => (kind === 'text' ? text : '')).join(''))
      : 0
    const output = this.answer.tokens
    return {
      total_tokens: this.inputTokens + output,
      input_tokens: this.inputTokens,
      output_tokens: output,
      input_token_details: { text_tokens: this.inputTokens, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
      output_token_details: { text_tokens: output - Math.min(spoken, output), audio_tokens: Math.min(spoken, output) },
    }
  }
}

/** @param {AnswerPart} part */
function callId({ id }) {
  return id === undefined ? {} : { call_id: id }
}
