// Parses an OpenAI Realtime event except for tool calls. Malformed and unknown members are ignored. Later events of a
// response that the user interrupted are dropped.
import frameReading from 'toolgate/transports/shared/frame-reading.js'
import { bounded, nothing } from '../parsed-message.js'

const { recordOf, textOf } = frameReading
/** The beginning of the event ids of items that the server sends and wants to know about. */
export const RECEIPT = 'item:'

/**
 * @typedef {import('../provider-link.js').ParsedMessage} ParsedMessage
 * @typedef {import('../provider-link.js').Members} Members
 */

export class OpenAIReader {
  /** Ids of interrupted responses. @type {Set<unknown>} */
  #silenced = new Set()
  /** @type {string | null} */
  #active = null
  #hasCalls = false
  #hasSpoken = false
  /** Item id → start of the user's speech, until its transcript arrives. @type {Map<unknown, number>} */
  #starts = new Map()
  /** Ids of items with a partial transcript. @type {Set<unknown>} */
  #begun = new Set()
  /** True from the start of speech until the service begins a response. */
  #isSpeaking = false

  /** When the user's last speech ended, by the clock of `performance.now`. */
  lastSpeechAt = -Infinity

  get isUserSpeaking() {
    return this.#isSpeaking
  }

  /** Drops the remaining events of the response in progress after a barge-in. */
  silence() {
    if (this.#active !== null) bounded(this.#silenced.add(this.#active))
  }

  /** @param {unknown} event @returns {import('../provider-link.js').ParsedMessage} */
  read(event) {
    const heard = nothing()
    const { type, response_id: responseId } = recordOf(event)
    if (typeof responseId === 'string' && this.#silenced.has(responseId)) return heard
    if (typeof type === 'string' && Object.hasOwn(this.#readers, type)) this.#readers[type](heard, recordOf(event))
    return heard
  }

  /** @type {Record<string, (heard: ParsedMessage, event: Members) => void>} */
  #readers = {
    'response.created': (_, { response }) => {
      this.#active = textOf(recordOf(response).id)
      this.#hasCalls = this.#hasSpoken = false
      this.#isSpeaking = false
    },
    'response.done': (heard, { response }) => this.#done(heard, recordOf(response)),
    'response.output_item.done': (heard, { item }) => {
      const { type, status } = recordOf(item)
      if (type !== 'function_call' || status !== 'completed') return
      heard.modelSpoke = true
      this.#hasCalls = true
    },
    'response.output_audio.delta': (heard, { delta, item_id: item }) => {
      heard.modelSpoke = this.#hasSpoken = true
      if (textOf(delta) !== null) heard.audio.push({ pcm: Buffer.from(String(delta), 'base64'), item: textOf(item) })
    },
    'response.output_audio_transcript.delta': (heard, event) => this.#output(heard, event, false),
    'response.output_audio_transcript.done': (heard, event) => this.#output(heard, event, true),
    'response.output_text.delta': (heard, event) => this.#output(heard, event, false),
    'response.output_text.done': (heard, event) => this.#output(heard, event, true),
    'input_audio_buffer.speech_started': (heard, { audio_start_ms: startMs, item_id: item }) => {
      heard.userSpoke = true
      heard.utterance = textOf(item)
      this.#isSpeaking = true
      if (typeof startMs === 'number' && textOf(item) !== null) bounded(this.#starts.set(item, startMs))
    },
    'input_audio_buffer.speech_stopped': heard => {
      heard.userStopped = heard.speechStopped = true
      this.lastSpeechAt = performance.now()
    },
    'conversation.item.added': (heard, event) => taken(heard, event),
    'conversation.item.created': (heard, event) => taken(heard, event),
    error: (heard, { error }) => {
      const id = textOf(recordOf(error).event_id) ?? ''
      if (id.startsWith(RECEIPT)) heard.refused.push(id.slice(RECEIPT.length))
    },
    'conversation.item.input_audio_transcription.delta': (heard, { item_id: key, delta }) => {
      if (textOf(delta) === null) return
      bounded(this.#begun.add(key))
      heard.pieces.push({ direction: 'input', key: textOf(key), text: String(delta), final: false })
    },
    'conversation.item.input_audio_transcription.completed': (heard, { item_id: key, transcript }) =>
      this.#inputOver(heard, key, textOf(transcript) ?? ''),
    'conversation.item.input_audio_transcription.failed': (heard, { item_id: key }) => this.#inputOver(heard, key, ''),
  }

  /** @param {ParsedMessage} heard @param {Members} response */
  #done(heard, { id, status, status_details: details }) {
    const [hasCalls, hasSpoken, isSilenced] = [this.#hasCalls, this.#hasSpoken, this.#silenced.delete(id)]
    this.#active = null
    this.#hasCalls = false
    if (isSilenced) return
    // What was heard of it would be said twice: only an answer that had not begun is asked for again.
    const isRetried = status === 'failed' && !hasSpoken
    if (status === 'failed' || status === 'incomplete') {
      const { reason, error } = recordOf(details)
      const why = textOf(recordOf(error).code) ?? textOf(recordOf(error).message) ?? textOf(reason) ?? String(status)
      heard.problem = { why, isRetried }
    }
    // After calls the turn continues with the model's response to their answers.
    heard.turnComplete = !isRetried && (!hasCalls || status === 'cancelled')
  }

  /** @param {ParsedMessage} heard @param {Members} event @param {boolean} final */
  #output(heard, { item_id: key, delta }, final) {
    const text = textOf(delta) ?? ''
    if (text === '' && !final) return
    heard.modelSpoke = this.#hasSpoken = true
    heard.pieces.push({ direction: 'output', key: textOf(key), text, final })
  }

  /**
   * A transcript that arrived in deltas is not repeated as a whole.
   * @param {ParsedMessage} heard
   * @param {unknown} key
   * @param {string} transcript
   */
  #inputOver(heard, key, transcript) {
    const text = this.#begun.delete(key) ? '' : transcript
    const startMs = this.#starts.get(key) ?? null
    this.#starts.delete(key)
    heard.pieces.push({ direction: 'input', key: textOf(key), text, final: true, startMs })
  }
}

/** @param {ParsedMessage} heard @param {Members} event */
function taken(heard, event) {
  const key = receiptOf(event)
  if (key !== '') heard.receipts.push(key)
}

/**
 * The key of an item: of an output its call, because the model's own items have ids of the service.
 * @param {Members} event
 * @returns {string}
 */
export function receiptOf(event) {
  const item = recordOf(event.item)
  return textOf(item.type === 'function_call_output' ? item.call_id : item.id) ?? ''
}
