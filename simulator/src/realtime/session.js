// The configuration of one Realtime session: its defaults and its updates.

import { freshId } from '../answer-builder.js'
import { eventError } from './parse-event.js'

/** @import { JsonObject } from '../parse-json.js' */

const LIFETIME_S = 3600
const PCM = { type: 'audio/pcm', rate: 24000 }

/** @type {Record<TurnDetection['type'], TurnDetection>} */
const DETECTION = {
  server_vad: {
    type: 'server_vad',
    threshold: 0.5,
    prefix_padding_ms: 300,
    silence_duration_ms: 500,
    idle_timeout_ms: null,
    create_response: true,
    interrupt_response: true,
  },
  semantic_vad: { type: 'semantic_vad', eagerness: 'auto', create_response: true, interrupt_response: true },
}

/**
 * @typedef {object} TurnDetection
 * @property {'server_vad' | 'semantic_vad'} type
 * @property {number} [threshold]
 * @property {number} [prefix_padding_ms]
 * @property {number} [silence_duration_ms]
 * @property {number | null} [idle_timeout_ms]
 * @property {boolean} [create_response]
 * @property {boolean} [interrupt_response]
 * @property {string} [eagerness]
 *
 * @typedef {object} AudioInputConfig
 * @property {JsonObject} format
 * @property {JsonObject | null} transcription
 * @property {JsonObject | null} noise_reduction
 * @property {TurnDetection | null} turn_detection
 *
 * @typedef {object} AudioOutputConfig
 * @property {JsonObject} format
 * @property {string | JsonObject} voice
 * @property {number} speed
 *
 * @typedef {object} ResponseConfig the configuration of a response: of the session, overridden by response.create
 * @property {('text' | 'audio')[]} output_modalities
 * @property {string} instructions
 * @property {JsonObject[]} tools
 * @property {string | JsonObject} tool_choice
 * @property {number | string} max_output_tokens
 * @property {JsonObject | null} [metadata]
 * @property {'auto' | 'none'} [conversation] of response.create: `none` adds nothing to the conversation
 * @property {JsonObject[]} [input] of response.create: items in place of the conversation's
 * @property {{ input: AudioInputConfig, output: AudioOutputConfig }} audio
 *
 * @typedef {object} SessionIdentity
 * @property {'realtime'} type
 * @property {'realtime.session'} object
 * @property {string} id
 * @property {string} model
 * @property {string | JsonObject | null} tracing
 * @property {string | JsonObject} truncation
 * @property {JsonObject | null} prompt
 * @property {number} expires_at
 * @property {unknown[] | null} include
 *
 * @typedef {SessionIdentity & ResponseConfig} RealtimeSession as sent to the client
 */

/** @param {string} model @returns {RealtimeSession} */
export function createSession(model) {
  return {
    type: 'realtime',
    object: 'realtime.session',
    id: freshId('sess_'),
    model,
    output_modalities: ['audio'],
    instructions: '',
    tools: [],
    tool_choice: 'auto',
    max_output_tokens: 'inf',
    tracing: null,
    truncation: 'auto',
    prompt: null,
    expires_at: Math.floor(Date.now() / 1000) + LIFETIME_S,
    audio: {
      input: { format: PCM, transcription: null, noise_reduction: null, turn_detection: DETECTION.server_vad },
      output: { format: PCM, voice: 'marin', speed: 1 },
    },
    include: null,
  }
}

/**
 * @param {RealtimeSession} session
 * @param {JsonObject} changes a validated `session` of session.update; absent members stay unchanged
 * @param {boolean} hasSpoken whether audio of the model was sent
 * @returns {RealtimeSession} the new session
 * @throws {import('./parse-event.js').EventError}
 */
export function updateSession(session, changes, hasSpoken) {
  const { input = {}, output = {} } = changes.audio ?? {}
  if (changes.model !== undefined && changes.model !== session.model) {
    throw eventError('the model of a session cannot be changed', { param: 'session.model', code: 'invalid_value' })
  }
  if (hasSpoken && output.voice !== undefined && output.voice !== session.audio.output.voice) {
    throw eventError('the voice cannot be changed once it was heard', {
      param: 'session.audio.output.voice',
      code: 'cannot_update_voice',
    })
  }
  const { id, object, expires_at: expiresAt, audio } = session
  /** @type {TurnDetection | null | undefined} */
  const given = input.turn_detection
  const detection = given ? { turn_detection: { ...DETECTION[given.type], ...given } } : {}
  return {
    ...session,
    ...changes,
    id,
    object,
    expires_at: expiresAt,
    audio: { input: { ...audio.input, ...input, ...detection }, output: { ...audio.output, ...output } },
  }
}
