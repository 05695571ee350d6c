// What the client gets of the conversation's speech: captions of both sides, and the model's voice as far as it was played.
import { Captions } from './captions.js'
import { PlaybackTracker } from './playback-tracker.js'

/** How much of the voice of a service that sends it at the pace of speech is unplayed at most. */
const PACE_MS = 1000

export class SpeechOutput {
  #captions = new Captions()
  #playback = new PlaybackTracker()

  /**
   * @param {import('../connection/client-socket.js').ClientSocket} client
   * @param {import('toolgate').Session} session
   */
  constructor(client, session) {
    this.client = client
    this.session = session
  }

  /** Of the model's voice that was sent and is not played. */
  get remainingMs() {
    return this.#playback.remainingMs
  }

  /** Whether more is unplayed than a voice at the pace of speech leaves. */
  get isAhead() {
    return this.remainingMs > PACE_MS
  }

  /** @param {number} ms of the model's voice played, as the client reports */
  played(ms) {
    this.#playback.reported(ms)
  }

  /**
   * @param {import('../providers/provider-link.js').TranscriptPiece} piece
   * @returns {{ text: string, startMs: number | null } | null} the user's utterance if the piece is its last
   */
  caption(piece) {
    const { client, session } = this
    const added = this.#captions.add(piece)
    if (added === null) return null
    if (!session.state.get('shouldSuppressTranscript')) client.send({ ...added.frame, turn: session.turn })
    return piece.direction === 'input' && added.whole !== null
      ? { text: added.whole, startMs: piece.startMs ?? null }
      : null
  }

  /** @param {import('../voice-types.js').Sound[]} audio */
  play(audio) {
    if (audio.length === 0 || this.session.state.get('shouldSuppressAudio')) return
    for (const sound of audio) if (this.client.sendAudio(sound.pcm)) this.#playback.sent(sound)
  }

  /** How much of the voice was heard until an interruption, and which of its items were not heard to their end. */
  stopped() {
    return this.#playback.interrupted()
  }

  /** Drops what is not sent and notifies the client of the interruption. @param {number} heardMs */
  interrupted(heardMs) {
    const { client, session } = this
    client.dropAudio()
    for (const frame of this.#captions.close('output')) client.send({ ...frame, turn: session.turn })
    client.send({ type: 'interrupted', turn: session.turn, heardMs })
  }
}
