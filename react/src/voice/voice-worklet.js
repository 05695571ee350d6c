// Audio processing of a voice call, in the browser's audio thread: converts the microphone's audio to PCM 16 at the
// server's rate, and the model's PCM 16 to the device's rate. Served unchanged, without a build step.

/** The resampler's filter: zero crossings on each side, and table entries between two of them. */
const CROSSINGS = 12
const STEPS = 256
const FILTER = Float32Array.from({ length: CROSSINGS * STEPS + 1 }, (_, index) => {
  const x = index / STEPS
  const window = 0.5 + 0.5 * Math.cos((Math.PI * x) / CROSSINGS)
  return x === 0 ? 1 : (window * Math.sin(Math.PI * x)) / (Math.PI * x)
})

/** Resamples chunks without discontinuities: a windowed sinc that removes content above the lower Nyquist frequency. */
export class Resampler {
  #scale
  #reach
  #step
  #pending
  #at

  constructor(fromRate, toRate) {
    this.#scale = Math.min(1, toRate / fromRate)
    this.#reach = Math.ceil(CROSSINGS / this.#scale)
    this.#step = fromRate / toRate
    this.reset()
  }

  /** Resets the state: the next chunk begins after silence. */
  reset() {
    this.#pending = new Float32Array(this.#reach)
    this.#at = this.#reach
  }

  /** @param {Float32Array} samples @returns {Float32Array} the output that needs no later samples */
  process(samples) {
    const input = new Float32Array(this.#pending.length + samples.length)
    input.set(this.#pending)
    input.set(samples, this.#pending.length)
    const output = []
    for (; this.#at + this.#reach < input.length; this.#at += this.#step) output.push(this.#sampleAt(input, this.#at))
    const kept = Math.max(0, Math.floor(this.#at) - this.#reach)
    this.#pending = input.slice(kept)
    this.#at -= kept
    return Float32Array.from(output)
  }

  #sampleAt(input, at) {
    const first = Math.max(0, Math.ceil(at - this.#reach))
    const last = Math.min(input.length - 1, Math.floor(at + this.#reach))
    let sum = 0
    for (let index = first; index <= last; index += 1) {
      const distance = Math.abs(index - at) * this.#scale
      if (distance < CROSSINGS) sum += input[index] * FILTER[Math.round(distance * STEPS)]
    }
    return sum * this.#scale
  }
}

/** Root mean square: 0 is silence, 1 full scale. */
function loudness(samples) {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / Math.max(1, samples.length))
}

const PIECE_MS = 40

/**
 * Captures the microphone. Messages out: `{ pcm, level }`, 40 ms each. In: `{ muted }`; nothing is sent while muted.
 */
class VoiceCapture extends AudioWorkletProcessor {
  #muted = false
  #piece
  #filled = 0
  #resampler

  constructor({ processorOptions: { rate } }) {
    super()
    this.#resampler = new Resampler(sampleRate, rate)
    this.#piece = new Float32Array((rate * PIECE_MS) / 1000)
    this.port.onmessage = ({ data }) => {
      this.#muted = data.muted
      this.#filled = 0
      this.#resampler.reset()
    }
  }

  process([[channel]]) {
    if (channel && !this.#muted) for (const sample of this.#resampler.process(channel)) this.#add(sample)
    return true
  }

  #add(sample) {
    this.#piece[this.#filled] = sample
    this.#filled += 1
    if (this.#filled < this.#piece.length) return
    this.#filled = 0
    const pcm = Int16Array.from(this.#piece, value => Math.round(Math.max(-1, Math.min(1, value)) * 32767)).buffer
    this.port.postMessage({ pcm, level: loudness(this.#piece) }, [pcm])
  }
}

/** Audio buffered before playback begins, to avoid stutter; shorter audio begins after this time. */
const GATHER_MS = 60
const NEWS_MS = 50

/**
 * Plays the model's voice. Messages in: `{ pcm }`; `{ flush: true, restart }` drops queued audio, and with `restart`
 * resets
 * the count of played audio. Out, several times per second: `{ playing, playedMs, level }`.
 */
class VoicePlayback extends AudioWorkletProcessor {
  #queue = []
  #offset = 0
  #queued = 0
  #played = 0
  #waited = 0
  #playing = false
  #sinceNews = 0
  #resampler

  constructor({ processorOptions: { rate } }) {
    super()
    this.#resampler = new Resampler(rate, sampleRate)
    this.port.onmessage = ({ data }) => (data.flush ? this.#flush(data.restart) : this.#take(data.pcm))
  }

  process(_, [[channel]]) {
    const filled = this.#begins(channel.length) ? this.#fill(channel) : 0
    this.#played += filled
    this.#sinceNews += channel.length
    const ends = this.#playing && this.#queued === 0
    if (ends || (this.#playing && this.#sinceNews * 1000 >= NEWS_MS * sampleRate)) {
      this.#playing = !ends
      this.#tell(loudness(channel))
    }
    return true
  }

  #take(pcm) {
    const samples = this.#resampler.process(Float32Array.from(new Int16Array(pcm), value => value / 32768))
    if (samples.length === 0) return
    this.#queue.push(samples)
    this.#queued += samples.length
  }

  #begins(length) {
    if (this.#playing || this.#queued === 0) return this.#playing
    this.#waited += length
    if (Math.max(this.#queued, this.#waited) * 1000 < GATHER_MS * sampleRate) return false
    this.#waited = 0
    this.#playing = true
    this.#tell(0)
    return true
  }

  #fill(channel) {
    let filled = 0
    while (filled < channel.length && this.#queued > 0) {
      const [piece] = this.#queue
      const taken = Math.min(piece.length - this.#offset, channel.length - filled)
      channel.set(piece.subarray(this.#offset, this.#offset + taken), filled)
      filled += taken
      this.#offset += taken
      this.#queued -= taken
      if (this.#offset < piece.length) continue
      this.#queue.shift()
      this.#offset = 0
    }
    return filled
  }

  #flush(restart) {
    this.#queue = []
    this.#offset = this.#queued = this.#waited = 0
    if (restart) this.#played = 0
    this.#resampler.reset()
    this.#playing = false
    this.#tell(0)
  }

  #tell(level) {
    this.#sinceNews = 0
    this.port.postMessage({ playing: this.#playing, playedMs: Math.round((this.#played * 1000) / sampleRate), level })
  }
}

registerProcessor('voice-capture', VoiceCapture)
registerProcessor('voice-playback', VoicePlayback)
