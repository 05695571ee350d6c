// Parses a GPT-Live event except for delegations and tool calls. Malformed and unknown members are ignored. The service may send
// its voice all the time, silence included: silence is passed on only within speech.
import frameReading from 'toolgate/transports/shared/frame-reading.js'
import { samplesOf } from '../../audio/pcm-samples.js'
import { isSpeech } from '../../audio/voice-activity-detector.js'
import { bounded, nothing } from '../parsed-message.js'

const { recordOf, textOf } = frameReading
const ENDS = ['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled', 'error']

/**
 * @typedef {import('../provider-link.js').ParsedMessage} ParsedMessage
 * @typedef {import('../provider-link.js').Members} Members
 */

export class GptLiveReader {
  /** The model has begun to speak, and its turn is not complete. */
  isModelSpeaking = false
  /** The model's voice was stopped: what still comes of it is dropped. */
  isSilenced = false
  /** The last silence before speech. @type {Buffer | null} */
  #lead = null
  /** Responses of the backend in progress, by delegation. */
  #responses = new Set()

  get hasResponse() {
    return this.#responses.size > 0
  }

  /** @param {unknown} event @returns {ParsedMessage} */
  read(event) {
    const heard = { ...nothing(), isSilent: true, resumable: true }
    const { type } = recordOf(event)
    if (typeof type !== 'string' || !Object.hasOwn(this.#readers, type)) return heard
    heard.isSilent = false
    this.#readers[type](heard, recordOf(event))
    return heard
  }

  /** The model has fallen silent. */
  turnOver() {
    this.isModelSpeaking = false
    this.#lead = null
  }

  /** @type {Record<string, (heard: ParsedMessage, event: Members) => void>} */
  #readers = {
    'session.output_audio.delta': (heard, { delta }) => this.#voice(heard, textOf(delta) ?? ''),
    'session.output_transcript.delta': (heard, { delta }) => {
      const text = textOf(delta)
      if (text === null || this.isSilenced) return
      heard.modelSpoke = this.isModelSpeaking = true
      heard.pieces.push({ direction: 'output', key: null, text, final: false })
    },
    'session.input_transcript.delta': (heard, { delta }) => {
      const text = textOf(delta)
      if (text === null) return
      heard.beginsTurn = true
      heard.pieces.push({ direction: 'input', key: null, text, final: false })
    },
    'response.event': (heard, { event, delegation_id: delegation }) =>
      this.#response(heard, recordOf(event), textOf(delegation) ?? ''),
    'session.commentary.appended': taken,
    'session.thinking.appended': taken,
    error: (heard, { error, client_event_id: cause }) => {
      const id = textOf(cause) ?? textOf(recordOf(error).client_event_id)
      if (id !== null) heard.refused.push(id)
    },
    'session.delegation.created': () => {},
    'session.output_audio.fixture.playing': () => {},
    'session.output_audio.fixture.played': taken,
    'session.closed': () => {},
  }

  /** @param {ParsedMessage} heard @param {string} base64 */
  #voice(heard, base64) {
    const bytes = Buffer.from(base64, 'base64')
    const pcm = bytes.subarray(0, bytes.length & ~1)
    const samples = samplesOf(pcm)
    const isLoud = samples.length > 0 && isSpeech(samples, 0, samples.length)
    heard.isSilent = !isLoud
    if (this.isSilenced || pcm.length === 0) return
    if (isLoud) heard.modelSpoke = this.isModelSpeaking = true
    if (this.isModelSpeaking)
      heard.audio = [this.#lead, pcm].flatMap(sound => (sound ? [{ pcm: sound, item: null }] : []))
    this.#lead = this.isModelSpeaking ? null : pcm
  }

  /** @param {ParsedMessage} heard @param {Members} event @param {string} delegation */
  #response(heard, { type, response }, delegation) {
    if (type === 'response.created') {
      bounded(this.#responses.add(delegation))
      heard.modelSpoke = true
    }
    if (!ENDS.includes(String(type))) return
    this.#responses.delete(delegation)
    if (type === 'response.completed' || type === 'response.cancelled') return
    const { error, incomplete_details: details } = recordOf(response)
    const why = textOf(recordOf(error).code) ?? textOf(recordOf(details).reason) ?? String(type)
    heard.problem = { why, isRetried: type !== 'response.incomplete' }
  }
}

/** @param {ParsedMessage} heard @param {Members} event */
function taken(heard, { client_event_id: cause }) {
  const id = textOf(cause)
  if (id !== null) heard.receipts.push(id)
}
