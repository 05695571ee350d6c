// One GPT-Live WebSocket: handles each client event, or answers it with an `error` event that names it.

import { literalOf } from '../assistant/notes.js'
import { freshId } from '../answer-builder.js'
import { EventError, decodeAudio, eventError } from '../realtime/parse-event.js'
import { SocketConnection } from '../socket/socket-connection.js'
import { parseClientEvent } from './client-events.js'
import { GptLiveDialogue } from './gpt-live-dialogue.js'

/** @import { JsonObject } from '../parse-json.js' */

/** The most tokens of an append, and an estimate of their bytes: the simulator has no tokenizer. */
const [MAX_TOKENS, BYTES_PER_TOKEN] = [500, 4]
const BYTES_PER_MS = 48
/** The longest fixture. */
const FIXTURE_MS = 30_000

export class GptLiveConnection extends SocketConnection {
  /** @type {JsonObject | null} as started and updated by the client */
  session = null
  #audioMs = 0
  #dialogue = new GptLiveDialogue(this)
  /** Of the fixture that plays. @type {NodeJS.Timeout | null} */
  #fixture = null

  /** Whether a fixture plays. */
  get isPlaying() {
    return this.#fixture !== null
  }

  /** Milliseconds on the session's timeline. */
  get now() {
    return Math.round(this.#audioMs + this.#dialogue.saidMs)
  }

  /**
   * Simulates words of the user, which the model reacts to as the scenario says.
   * @param {string} words
   */
  hear(words) {
    this.#dialogue.hear(words)
  }

  /** @param {JsonObject} event */
  sendEvent({ type, ...event }) {
    this.send({ type, event_id: freshId('event_'), ...event })
  }

  /** @param {EventError} error @param {string} [eventId] of the client event */
  refuse({ error }, eventId) {
    this.log(`refused: ${error.message}`)
    const named = eventId === undefined ? {} : { client_event_id: eventId }
    const { type, code, message, param } = error
    const details = { type, code: code ?? 'invalid_value', message, ...(param === null ? {} : { param }) }
    this.sendEvent({ type: 'error', error: { ...details, ...named }, ...named })
  }

  onClose() {
    clearTimeout(this.#fixture ?? undefined)
    this.#dialogue.stop()
  }

  /** @param {Buffer} bytes */
  receive(bytes) {
    const { json, text, problem } = parseClientEvent(bytes)
    this.record({ json, text })
    try {
      if (problem !== null) throw problem
      if ((this.session === null) !== (json.type === 'session.start'))
        throw eventError(this.session === null ? 'the first event must be `session.start`' : 'the session has started')
      this.#handle(json)
    } catch (error) {
      if (!(error instanceof EventError)) throw error
      this.refuse(error, typeof json?.event_id === 'string' ? json.event_id : undefined)
    }
  }

  /** @param {JsonObject} event */
  #handle({ type, event_id: eventId, ...event }) {
    const cause = typeof eventId === 'string' ? { client_event_id: eventId } : {}
    switch (type) {
      case 'session.start':
        return this.#start(event.session)
      case 'session.update':
        return this.#update(event.session, cause)
      case 'session.input_audio.append':
        this.#audioMs += decodeAudio(event.audio, 'audio').length / BYTES_PER_MS
        return undefined
      case 'session.output_audio.fixture.play':
        return this.#play(decodeAudio(event.audio, 'audio'), cause)
      case 'session.commentary.append':
      case 'session.thinking.append':
      case 'session.instructions.append':
        return this.#append(type.split('.')[1], event, cause)
      case 'response.item.create':
      case 'response.create':
        if (this.session?.delegation?.type !== 'responses') throw eventError(`${type} requires Responses delegation.`)
        return type === 'response.create' ? this.#dialogue.continue() : this.#dialogue.addItem(event.item)
      default:
        return this.#close()
    }
  }

  /** @param {JsonObject} session */
  #start(session) {
    const { delegation } = session
    this.session = {
      id: freshId('live_'),
      status: 'active',
      expires_at: Math.floor(Date.now() / 1000) + this.host.scenario().settings.sessionSeconds,
      ...session,
      delegation: delegation ?? { type: 'client' },
    }
    this.log(`session: model ${session.model}, delegation to ${this.session.delegation.type}`)
    this.sendEvent({ type: 'session.started', session: this.session })
    this.host.ready(this)
  }

  /** @param {JsonObject} changes @param {JsonObject} cause */
  #update({ delegation }, cause) {
    const current = /** @type {JsonObject} */ (this.session)
    if (delegation && delegation.type !== current.delegation.type)
      throw eventError('the delegation type cannot change', { param: 'session.delegation.type' })
    const responses = { ...current.delegation.responses, ...delegation?.responses }
    if (delegation) current.delegation = { ...current.delegation, ...delegation, responses }
    this.sendEvent({ type: 'session.updated', session: current, ...cause })
  }

  /**
   * Plays sound of the client in place of the model's voice, in its length. Input that comes meanwhile is dropped.
   * @param {Buffer} sound @param {JsonObject} cause
   */
  #play(sound, cause) {
    const ms = sound.length / BYTES_PER_MS
    if (this.#fixture !== null) throw eventError('an audio fixture is active')
    if (sound.length === 0 || sound.length % 2 !== 0 || ms > FIXTURE_MS)
      throw eventError(`\`audio\` must be PCM16 of at most ${FIXTURE_MS} ms`, { param: 'audio' })
    this.#dialogue.silence()
    this.sendEvent({ type: 'session.output_audio.fixture.playing', ...cause })
    this.sendAudio(sound)
    this.#fixture = setTimeout(() => {
      this.#fixture = null
      this.sendEvent({ type: 'session.output_audio.fixture.played', ...cause })
      this.#dialogue.resume()
    }, ms)
  }

  /** @param {Buffer} sound PCM16, 24 kHz */
  sendAudio(sound) {
    this.send({ type: 'session.output_audio.delta', delta: sound.toString('base64') })
  }

  /** @param {string} kind @param {JsonObject} event @param {JsonObject} cause */
  #append(kind, { content, delegation_id: id }, cause) {
    if (this.#fixture !== null) throw eventError('an audio fixture is active')
    if (id !== null && this.session?.delegation?.type === 'responses')
      throw eventError('`delegation_id` must be null with Responses delegation', { param: 'delegation_id' })
    if (Buffer.byteLength(content) > MAX_TOKENS * BYTES_PER_TOKEN)
      throw eventError(`\`content\` is limited to ${MAX_TOKENS} tokens`, {
        param: 'content',
        code: 'string_above_max_length',
      })
    if (id !== null && !this.#dialogue.delegations.has(id)) {
      this.host.anomaly({ connection: this.number, kind: 'unknown_id', id, name: undefined })
      throw eventError(`delegation \`${id}\` not found`, { param: 'delegation_id' })
    }
    this.sendEvent({ type: `session.${kind}.appended`, start_ms: this.now, end_ms: this.now, ...cause })
    if (kind === 'commentary') this.#dialogue.say(literalOf(content) ?? content)
  }

  #close() {
    const usage = { seconds: Math.ceil(this.now / 1000) }
    this.sendEvent({ type: 'session.closed', reason: 'close_requested', session: this.session, usage })
    this.disconnect({ code: 1000 })
  }
}
