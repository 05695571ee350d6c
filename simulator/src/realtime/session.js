// The configuration of one Realtime session: its defaults and its updates.

import { freshId } from '../answer-builder.js'
import { eventError } from './parse-event.js'

const LIFETIME_S = 3600
const PCM = { type: 'audio/pcm', rate: 24000 }

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

/** @param {string} model */
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
 * @param {object} session
 * @param {object} changes a validated `session` of session.update; absent members stay unchanged
 * @param {boolean} hasSpoken whether audio of the model was sent
 * @returns {object} the new session
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
  const detection = input.turn_detection
    ? { turn_detection: { ...DETECTION[input.turn_detection.type], ...input.turn_detection } }
    : {}
  return {
    ...session,
    ...changes,
    id,
    object,
    expires_at: expiresAt,
    audio: { input: { ...audio.input, ...input, ...detection }, output: { ...audio.output, ...output } },
  }
}
