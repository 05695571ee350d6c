// Opens one GPT-Live session, and plays sounds of the server in it. While such a fixture plays the service refuses appends: they
// wait here.
import { ServiceConnection, openServiceSocket, serviceUrl } from '../openai-socket.js'

const BYTES_PER_MS = 48
/** The longest fixture that the service takes. */
export const MOST_FIXTURE_BYTES = 30_000 * BYTES_PER_MS
/** How long after its end a fixture is waited for. */
const FIXTURE_MARGIN_MS = 5000
/** The most appends that wait for the end of a fixture; more are lost with it. */
const MOST_WAITING = 500

/**
 * @typedef {import('../openai-socket.js').OpenAISettings} OpenAISettings
 * @typedef {{ type?: unknown, client_event_id?: unknown, delta?: unknown, reason?: unknown, delegation_id?: unknown,
 *   event?: unknown, session?: { expires_at?: unknown }, error?: { message?: string, client_event_id?: unknown } }} LiveEvent unchecked
 */

export class GptLiveConnection extends ServiceConnection {
  /** When the service ends the session, in epoch milliseconds; null: not known. @type {number | null} */
  expiresAt = null
  #count = 0
  /** @type {{ id: string, timer: NodeJS.Timeout } | null} */
  #fixture = null
  /** @type {import('../../voice-types.js').Frame[]} */
  #waiting = []

  /** The id of the fixture that plays, or is about to. */
  get fixture() {
    return this.#fixture?.id ?? null
  }

  /** @param {import('../../voice-types.js').Frame} event */
  send(event) {
    if (this.#fixture === null || !/^session\.\w+\.append$/.test(event.type)) return super.send(event)
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(event)
  }

  /** Sends an event under an id of its own. @param {import('../../voice-types.js').Frame} event @returns {string} the id */
  sendNamed(event) {
    const id = `voice_${(this.#count += 1)}`
    this.send({ ...event, event_id: id })
    return id
  }

  /**
   * Plays a sound in place of the model's voice, which it ends.
   * @param {Buffer} pcm PCM16, 24 kHz, mono @returns {string | null} its id; null: another one plays
   */
  play(pcm) {
    if (this.#fixture !== null) return null
    const id = this.sendNamed({ type: 'session.output_audio.fixture.play', audio: pcm.toString('base64') })
    const timer = setTimeout(() => this.#fixtureOver(), pcm.length / BYTES_PER_MS + FIXTURE_MARGIN_MS)
    this.#fixture = { id, timer }
    return id
  }

  /** @param {LiveEvent} event @returns {'played' | 'failed' | null} what it says of the fixture */
  fixtureEnd({ type, client_event_id: cause, error }) {
    if (this.#fixture === null) return null
    const isOwn = [cause, error?.client_event_id].includes(this.#fixture.id)
    if (!isOwn || (type !== 'error' && type !== 'session.output_audio.fixture.played')) return null
    this.#fixtureOver()
    return type === 'error' ? 'failed' : 'played'
  }

  close() {
    clearTimeout(this.#fixture?.timer)
    super.send({ type: 'session.close' })
    super.close()
  }

  #fixtureOver() {
    clearTimeout(this.#fixture?.timer)
    this.#fixture = null
    for (const event of this.#waiting.splice(0)) this.send(event)
  }
}

/**
 * @param {object} options
 * @param {OpenAISettings} options.settings
 * @param {object} options.session of `session.start`
 * @param {number} options.timeoutMs for connecting and setup
 * @param {number} options.pingMs
 * @param {(event: object) => void} options.onMessage must not throw
 * @param {(reason: string) => void} options.onClosed called once, after the connection was open
 * @param {(problem: string) => void} options.onBadFrame
 * @returns {Promise<GptLiveConnection>} rejects if setup fails
 */
export function connectGptLive({ settings, session, ...options }) {
  const url = serviceUrl(settings, '/live/sessions')
  const onOpen = (/** @type {GptLiveConnection} */ connection) => connection.send({ type: 'session.start', session })
  const setUp = (/** @type {LiveEvent} */ event, /** @type {GptLiveConnection} */ connection) => {
    if (event.type === 'error') throw new Error(event.error?.message ?? 'the session was refused')
    if (event.type !== 'session.started') return false
    const seconds = event.session?.expires_at
    if (typeof seconds === 'number') connection.expiresAt = seconds * 1000
    return true
  }
  return openServiceSocket({ url, settings, Connection: GptLiveConnection, onOpen, setUp, ...options })
}
