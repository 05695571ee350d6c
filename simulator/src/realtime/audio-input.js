// The input audio buffer, and voice activity detection by loudness. Audio is measured and not kept.

const RATE = 24000
const BYTES_PER_MS = (RATE * 2) / 1000
const WINDOW_MS = 20
const WINDOW_BYTES = WINDOW_MS * BYTES_PER_MS
/** Loudness (root mean square, relative to full scale) that counts as speech at the maximum threshold of 1. */
const LOUDEST_THRESHOLD = 0.04
const DEFAULTS = { threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 500 }

/**
 * @typedef {{ type: 'started' | 'stopped', ms: number }} SpeechEvent `ms` since the beginning of the session
 *
 * @typedef {Partial<typeof DEFAULTS>} SpeechDetection
 */

export class AudioInput {
  /** Milliseconds since the last commit or clear. */
  bufferedMs = 0
  isSpeaking = false
  #positionMs = 0
  #quietMs = 0
  #rest = Buffer.alloc(0)

  /**
   * @param {Buffer} pcm 16 bit little-endian, mono, 24 kHz
   * @param {SpeechDetection | null} detection turn_detection of the session; null disables detection
   * @param {(event: SpeechEvent) => void} onSpeech called in the order of the audio
   */
  append(pcm, detection, onSpeech) {
    const bytes = Buffer.concat([this.#rest, pcm])
    const windows = Math.floor(bytes.length / WINDOW_BYTES)
    for (let at = 0; at < windows; at += 1) {
      this.#positionMs += WINDOW_MS
      this.bufferedMs += WINDOW_MS
      if (detection !== null)
        this.#detect(
          bytes.subarray(at * WINDOW_BYTES, (at + 1) * WINDOW_BYTES),
          { ...DEFAULTS, ...detection },
          onSpeech,
        )
    }
    this.#rest = bytes.subarray(windows * WINDOW_BYTES)
  }

  /** Empties the buffer. @returns {number} milliseconds that it contained */
  empty() {
    const ms = this.bufferedMs + Math.round(this.#rest.length / BYTES_PER_MS)
    this.bufferedMs = 0
    this.#rest = Buffer.alloc(0)
    this.isSpeaking = false
    return ms
  }

  /**
   * @param {Buffer} window
   * @param {Required<SpeechDetection>} detection
   * @param {(event: SpeechEvent) => void} onSpeech
   */
  #detect(window, { threshold, prefix_padding_ms: prefixMs, silence_duration_ms: silenceMs }, onSpeech) {
    const isLoud = loudness(window) > threshold * LOUDEST_THRESHOLD
    this.#quietMs = isLoud ? 0 : this.#quietMs + WINDOW_MS
    if (isLoud && !this.isSpeaking) {
      this.isSpeaking = true
      this.bufferedMs = Math.min(this.bufferedMs, prefixMs + WINDOW_MS)
      onSpeech({ type: 'started', ms: Math.max(0, this.#positionMs - WINDOW_MS - prefixMs) })
    } else if (this.isSpeaking && this.#quietMs >= silenceMs) {
      this.isSpeaking = false
      onSpeech({ type: 'stopped', ms: this.#positionMs })
    }
  }
}

/** @param {Buffer} window */
function loudness(window) {
  let sum = 0
  for (let at = 0; at + 1 < window.length; at += 2) sum += (window.readInt16LE(at) / 0x8000) ** 2
  return Math.sqrt(sum / (window.length / 2))
}
