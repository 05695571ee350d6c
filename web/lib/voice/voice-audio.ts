// Microphone and speaker of a voice call. The work is done in the audio thread, by `public/worklets/voice-audio.js`.

const MODULE = '/worklets/voice-audio.js'

export interface AudioEvents {
  /** PCM 16 at the rate that was asked for, 40 ms each. */
  onHeard(pcm: ArrayBuffer, level: number): void
  /** What has been played since it was counted anew, some times a second while it plays and once when it ends. */
  onPlayed(news: { playing: boolean; playedMs: number; level: number }): void
}

export type Microphone = 'waiting' | 'on' | 'refused' | 'none'

export class VoiceAudio {
  #events: AudioEvents
  #context: AudioContext | null = null
  #speaker: AudioWorkletNode | null = null
  #capture: AudioWorkletNode | null = null
  #stream: MediaStream | null = null
  #muted = false

  constructor(events: AudioEvents) {
    this.#events = events
  }

  /** To be called by a press of the user: browsers give no sound without one. */
  async open(): Promise<void> {
    this.#context = new AudioContext({ latencyHint: 'interactive' })
    // Not waited for: where there is no speaker it may never be done.
    void this.#context.resume()
    await this.#context.audioWorklet.addModule(MODULE)
  }

  openSpeaker(rate: number): void {
    if (!this.#context || this.#speaker) return
    this.#speaker = new AudioWorkletNode(this.#context, 'voice-playback', {
      numberOfInputs: 0,
      outputChannelCount: [1],
      processorOptions: { rate },
    })
    this.#speaker.port.onmessage = ({ data }) => this.#events.onPlayed(data)
    this.#speaker.connect(this.#context.destination)
  }

  async openMicrophone(rate: number): Promise<Microphone> {
    if (!this.#context || this.#capture) return this.#capture ? 'on' : 'none'
    try {
      const wanted = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true }
      this.#stream = await navigator.mediaDevices.getUserMedia({ audio: wanted })
    } catch (error) {
      return (error as Error).name === 'NotAllowedError' ? 'refused' : 'none'
    }
    // The call may have ended while the user was asked.
    if (this.#context.state === 'closed') return this.#release('none')
    const processorOptions = { rate }
    this.#capture = new AudioWorkletNode(this.#context, 'voice-capture', {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: 'explicit',
      processorOptions,
    })
    this.#capture.port.onmessage = ({ data }) => this.#events.onHeard(data.pcm, data.level)
    this.#context.createMediaStreamSource(this.#stream).connect(this.#capture)
    this.mute(this.#muted)
    return 'on'
  }

  play(pcm: ArrayBuffer): void {
    this.#speaker?.port.postMessage({ pcm }, [pcm])
  }

  /** Drops what is queued: the user broke in. @param restart what was played counts from 0 again */
  flush(restart: boolean): void {
    this.#speaker?.port.postMessage({ flush: true, restart })
  }

  mute(muted: boolean): void {
    this.#muted = muted
    this.#capture?.port.postMessage({ muted })
    // The device itself is let know too, so that its light tells the truth where there is one.
    for (const track of this.#stream?.getTracks() ?? []) track.enabled = !muted
  }

  close(): void {
    this.#release('none')
    this.#speaker?.disconnect()
    this.#speaker = this.#capture = null
    if (this.#context?.state !== 'closed') void this.#context?.close()
  }

  #release<T>(state: T): T {
    for (const track of this.#stream?.getTracks() ?? []) track.stop()
    this.#stream = null
    return state
  }
}
