// The turns of one Realtime connection: user input becomes an item, one response at a time answers it, and speech of
// the user cancels the response.

import { freshId, tokensOf } from '../answer-builder.js'
import { flatFunctions } from '../openai/flat-tools.js'
import { runActions } from '../run-actions.js'
import { chooseBranch } from '../scenario/choose.js'
import { nextStep, positionOf } from '../scenario/next-step.js'
import { ScriptedTranscripts } from '../scripted-transcripts.js'
import { AudioInput } from './audio-input.js'
import { RealtimeConversation } from './conversation.js'
import { RealtimeOutput } from './realtime-output.js'
import { eventError } from './parse-event.js'
import { RealtimeResponse } from './response.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { ScenarioAction, TemplateView } from '../scenario/types.js'
 * @import { RealtimeChannel } from './realtime-output.js'
 * @import { ResponseConfig } from './session.js'
 */

const MIN_COMMIT_MS = 100

export class RealtimeDialogue {
  conversation = new RealtimeConversation()
  hasSpoken = false
  #audio = new AudioInput()
  #transcripts = new ScriptedTranscripts()
  /** @type {RealtimeResponse | null} */
  #active = null
  /** @type {AbortController | null} of the running step */
  #playing = null
  /** @type {string | null} item id of the speech in progress */
  #speechId = null

  /**
   * @param {import('../scenario/compile.js').CompiledScenario} scenario
   * @param {RealtimeChannel} channel
   * @param {{ connection: number }} circumstances
   */
  constructor(scenario, channel, circumstances) {
    this.scenario = scenario
    this.channel = channel
    /** @type {Omit<import('../scenario/choose.js').TriggerCircumstances, 'declared' | 'instructions'>} */
    this.circumstances = { protocol: 'realtime', resumed: false, ...circumstances }
  }

  /** @param {Buffer} pcm */
  appendAudio(pcm) {
    const { turn_detection: detection } = this.channel.session().audio.input
    this.#audio.append(pcm, detection, ({ type, ms }) =>
      type === 'started' ? this.#speechStarted(ms) : this.#speechStopped(ms),
    )
  }

  clearAudio() {
    this.#audio.empty()
    this.#speechId = null
    this.channel.send({ type: 'input_audio_buffer.cleared' })
  }

  commitAudio() {
    if (this.#audio.bufferedMs < MIN_COMMIT_MS) {
      const has = `the buffer has ${this.#audio.bufferedMs} ms of audio, at least ${MIN_COMMIT_MS} are needed`
      throw eventError(has, { code: 'input_audio_buffer_commit_empty' })
    }
    this.#commit()
  }

  /** @param {number} ms */
  #speechStarted(ms) {
    this.#speechId = freshId('item_')
    this.channel.send({ type: 'input_audio_buffer.speech_started', audio_start_ms: ms, item_id: this.#speechId })
    if (this.channel.session().audio.input.turn_detection?.interrupt_response !== false) this.cancel('turn_detected')
  }

  /** @param {number} ms */
  #speechStopped(ms) {
    this.channel.send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: ms, item_id: this.#speechId })
    this.#commit()
    if (this.channel.session().audio.input.turn_detection?.create_response === false) return
    if (this.activeId === null) this.respond({})
    else this.channel.refuse(this.#alreadyActive())
  }

  #commit() {
    const seconds = Math.round(this.#audio.empty() / 100) / 10
    const transcript = this.#transcripts.next(this.scenario)
    /** @type {JsonObject[]} */
    const content = [{ type: 'input_audio', transcript: null }]
    const item = {
      id: this.#speechId ?? freshId('item_'),
      object: 'realtime.item',
      type: 'message',
      status: 'completed',
      role: 'user',
      content,
    }
    this.#speechId = null
    const previous = this.conversation.add({ item, speech: { text: transcript ?? null, source: 'audio', seconds } })
    this.channel.send({ type: 'input_audio_buffer.committed', previous_item_id: previous, item_id: item.id })
    this.sendItem(item, previous)
    if (this.channel.session().audio.input.transcription !== null) this.#transcribe(item, transcript, seconds)
  }

  /** @param {JsonObject} item @param {string | undefined} transcript @param {number} seconds */
  #transcribe(item, transcript, seconds) {
    /** @param {string} name @param {JsonObject} more */
    const event = (name, more) =>
      this.channel.send({
        type: `conversation.item.input_audio_transcription.${name}`,
        item_id: item.id,
        content_index: 0,
        ...more,
      })
    if (transcript === undefined) {
      const message = 'the simulator cannot transcribe speech, and its scenario has no transcript left'
      return event('failed', {
        error: { type: 'transcription_error', code: 'audio_unintelligible', message, param: null },
      })
    }
    item.content[0].transcript = transcript
    event('delta', { delta: transcript })
    return event('completed', { transcript, usage: { type: 'duration', seconds: Math.ceil(seconds) } })
  }

  /** @param {JsonObject} item @param {string | null} previous */
  sendItem(item, previous) {
    for (const state of ['added', 'done']) {
      this.channel.send({ type: `conversation.item.${state}`, previous_item_id: previous, item: structuredClone(item) })
    }
  }

  /**
   * @param {Partial<ResponseConfig>} overrides the `response` of response.create
   * @throws {import('./parse-event.js').EventError} if a response is in progress
   */
  respond(overrides) {
    if (this.activeId !== null) throw this.#alreadyActive()
    this.stop()
    const { audio, ...session } = this.channel.session()
    const output = { ...audio.output, ...overrides.audio?.output }
    const config = { ...session, ...overrides, audio: { ...audio, output } }
    const read = this.conversation.readBy(overrides)
    const { history, openCalls } = read
    for (const { call_id: id, name } of openCalls) this.channel.anomaly({ kind: 'asked_too_early', id, name })
    const { step, view } = nextStep(
      this.scenario,
      { ...this.circumstances, declared: flatFunctions(config), instructions: config.instructions },
      positionOf(history),
    )
    const { settings } = this.scenario
    const inputTokens = tokensOf(JSON.stringify(history))
    const response = new RealtimeResponse({
      send: this.channel.send,
      conversation: overrides.conversation === 'none' ? read : this.conversation,
      config,
      inputTokens,
      toneMs: settings.toneMs,
    })
    this.#active = response
    this.#playing = new AbortController()
    response.begin()
    this.#play(response, chooseBranch(step, view).emit, view, this.#playing)
  }

  #alreadyActive() {
    const message = `the conversation already has an active response: ${this.activeId}; wait until it is done`
    return eventError(message, { code: 'conversation_already_has_active_response' })
  }

  /**
   * @param {RealtimeResponse} response
   * @param {ScenarioAction[]} actions
   * @param {TemplateView} view
   * @param {AbortController} playing
   */
  #play(response, actions, view, playing) {
    runActions(actions, view, new RealtimeOutput(response, this.channel), this.scenario.settings, playing.signal)
      .then(() => {
        response.finish()
        this.#ended(response)
      })
      .catch(error => playing.signal.aborted || this.channel.fail(error))
  }

  /** @param {'turn_detected' | 'client_cancelled'} reason @returns {string | null} id of the cancelled response */
  cancel(reason) {
    const response = this.#active
    this.stop()
    if (response === null || response.isOver) return null
    response.end('cancelled', { reason })
    this.#ended(response)
    return response.id
  }

  /** @returns {string | null} id of the response in progress */
  get activeId() {
    return this.#active === null || this.#active.isOver ? null : this.#active.id
  }

  /** Stops the running step. */
  stop() {
    this.#playing?.abort()
    this.#playing = null
    this.#active = null
  }

  /** @param {RealtimeResponse} response */
  #ended(response) {
    this.hasSpoken ||= response.spoke
    if (this.#active === response) this.stop()
  }
}
