// Who speaks on one Realtime connection: what the user said becomes an item, one response at a time answers, and the
// user's speech cancels it.

import { freshId, tokensOf } from '../draft.js'
import { flatFunctionNames } from '../openai/flat-tools.js'
import { perform } from '../perform.js'
import { chooseBranch } from '../scenario/choose.js'
import { nextStep, standingOf } from '../scenario/next-step.js'
import { Transcripts } from '../transcripts.js'
import { AudioInput } from './audio-input.js'
import { Conversation } from './conversation.js'
import { RealtimeOutput } from './output.js'
import { eventError } from './parse-event.js'
import { RealtimeResponse } from './response.js'

const LEAST_COMMIT_MS = 100

export class RealtimeDialogue {
  conversation = new Conversation()
  hasSpoken = false
  #audio = new AudioInput()
  #transcripts = new Transcripts()
  /** @type {RealtimeResponse | null} */
  #active = null
  /** @type {AbortController | null} of the step that is being played */
  #playing = null
  /** The item that the speech being heard will be. */
  #speechId = null

  /**
   * @param {import('../scenario/compile.js').CompiledScenario} scenario
   * @param {object} wire see RealtimeOutput; also `session()`, `anomaly(…)`, `refuse(error)` and `fail(error)`
   * @param {{ connection: number }} circumstances
   */
  constructor(scenario, wire, circumstances) {
    this.scenario = scenario
    this.wire = wire
    this.circumstances = { protocol: 'realtime', resumed: false, ...circumstances }
  }

  /** @param {Buffer} pcm */
  hear(pcm) {
    const { turn_detection: detection } = this.wire.session().audio.input
    this.#audio.append(pcm, detection, ({ type, ms }) =>
      type === 'started' ? this.#speechStarted(ms) : this.#speechStopped(ms),
    )
  }

  clearAudio() {
    this.#audio.empty()
    this.#speechId = null
    this.wire.send({ type: 'input_audio_buffer.cleared' })
  }

  commitAudio() {
    if (this.#audio.bufferedMs < LEAST_COMMIT_MS) {
      const has = `the buffer has ${this.#audio.bufferedMs} ms of audio, at least ${LEAST_COMMIT_MS} are needed`
      throw eventError(has, { code: 'input_audio_buffer_commit_empty' })
    }
    this.#commit()
  }

  #speechStarted(ms) {
    this.#speechId = freshId('item_')
    this.wire.send({ type: 'input_audio_buffer.speech_started', audio_start_ms: ms, item_id: this.#speechId })
    if (this.wire.session().audio.input.turn_detection.interrupt_response !== false) this.cancel('turn_detected')
  }

  #speechStopped(ms) {
    this.wire.send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: ms, item_id: this.#speechId })
    this.#commit()
    if (this.wire.session().audio.input.turn_detection.create_response === false) return
    if (this.activeId === null) this.respond({})
    else this.wire.refuse(this.#alreadyActive())
  }

  #commit() {
    const seconds = Math.round(this.#audio.empty() / 100) / 10
    const transcript = this.#transcripts.next(this.scenario)
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
    const previous = this.conversation.add({ item, heard: { text: transcript ?? null, source: 'audio', seconds } })
    this.wire.send({ type: 'input_audio_buffer.committed', previous_item_id: previous, item_id: item.id })
    this.tellItem(item, previous)
    if (this.wire.session().audio.input.transcription !== null) this.#transcribe(item, transcript, seconds)
  }

  #transcribe(item, transcript, seconds) {
    const event = (name, more) =>
      this.wire.send({
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

  /** @param {object} item @param {string | null} previous */
  tellItem(item, previous) {
    for (const state of ['added', 'done']) {
      this.wire.send({ type: `conversation.item.${state}`, previous_item_id: previous, item: structuredClone(item) })
    }
  }

  /**
   * @param {object} wishes of response.create
   * @throws {import('./parse-event.js').EventError} while another response is being made
   */
  respond(wishes) {
    if (this.activeId !== null) throw this.#alreadyActive()
    this.stop()
    const config = { ...this.wire.session(), ...wishes, audio: this.wire.session().audio }
    const { history, openCalls } = this.conversation
    for (const { call_id: id, name } of openCalls) this.wire.anomaly({ kind: 'asked_too_early', id, name })
    const { step, view } = nextStep(
      this.scenario,
      { ...this.circumstances, declared: flatFunctionNames(config) },
      standingOf(history),
    )
    const { settings } = this.scenario
    const inputTokens = tokensOf(JSON.stringify(history))
    const response = new RealtimeResponse({
      send: this.wire.send,
      conversation: this.conversation,
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

  #play(response, actions, view, playing) {
    perform(actions, view, new RealtimeOutput(response, this.wire), this.scenario.settings, playing.signal)
      .then(() => {
        response.finish()
        this.#ended(response)
      })
      .catch(error => playing.signal.aborted || this.wire.fail(error))
  }

  /** @param {'turn_detected' | 'client_cancelled'} reason @returns {string | null} the response that was cancelled */
  cancel(reason) {
    const response = this.#active
    this.stop()
    if (response === null || response.isOver) return null
    response.end('cancelled', { reason })
    this.#ended(response)
    return response.id
  }

  /** @returns {string | null} the response that is being made */
  get activeId() {
    return this.#active === null || this.#active.isOver ? null : this.#active.id
  }

  /** Nothing more is said. */
  stop() {
    this.#playing?.abort()
    this.#playing = null
    this.#active = null
  }

  #ended(response) {
    this.hasSpoken ||= response.spoke
    if (this.#active === response) this.stop()
  }
}
