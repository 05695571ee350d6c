// Microphone and speaker of a voice call. The processing runs in the audio thread: `voice-worklet.js`.

export interface AudioEvents {
  /** PCM 16 at the requested rate, 40 ms each. */
  onHeard(pcm: ArrayBuffer, level: number): void
  /** Playback progress since the last reset: several times per second during playback, and once at its end. */
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

  /** Must be called in a user gesture: browsers refuse sound without one. */
  async open(): Promise<void> {
    this.#context = new AudioContext({ latencyHint: 'interactive' })
    // Not awaited: without a speaker the promise may never resolve.
    void this.#context.resume()
    await this.#context.audioWorklet.addModule(new URL('./voice-worklet.js', import.meta.url))
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
    // The call may have ended during the permission prompt.
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

  /** Drops queued audio after a barge-in. @param restart resets the count of played audio to 0 */
  flush(restart: boolean): void {
    this.#speaker?.port.postMessage({ flush: true, restart })
  }

  mute(muted: boolean): void {
    this.#muted = muted
    this.#capture?.port.postMessage({ muted })
    // Mutes the device's track too, so that the browser's microphone indicator is correct.
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
