// The connection to the voice server: begins or resumes a session, and reconnects if it breaks. It does not pass through the web
// app, because relaying audio adds latency.
import { zoneOfPage } from '../text/local-time.js'
import type { VoiceKey } from './voice-key.js'
import { type ClientFrame, type EndedFrame, type ServerFrame, readFrame } from './frames.js'

/** Delays between reconnect attempts; the last one repeats. */
const BACKOFF_MS = [300, 1000, 2000, 4000, 8000, 15_000]
const MAX_TRIES = 10
/** Timeout of the answer to `start`; the next attempt follows. */
const START_LIMIT_MS = 20_000
/** Close causes that end the connection and not the conversation. */
const PASSING = new Set<EndedFrame['cause']>(['provider_lost', 'internal', 'shutdown'])

export type LinkPhase =
  | { phase: 'connecting' }
  | { phase: 'live' }
  /** Lost; the next attempt is at `retryAt`, epoch milliseconds. */
  | { phase: 'waiting'; retryAt: number }
  | { phase: 'over'; ended: EndedFrame | null; message: string | null }

export interface LinkEvents {
  onPhase(phase: LinkPhase): void
  onFrame(frame: ServerFrame): void
  onSound(pcm: ArrayBuffer): void
  /** The resume key has changed; `null` if there is none any more. */
  onKey(key: VoiceKey | null): void
}

interface LinkOptions extends LinkEvents {
  url: string
  /** Key of the session to resume; without it a new session begins. */
  key: VoiceKey | null
  pendingRequest?: string
}

export class VoiceLink {
  #options: LinkOptions
  #key: VoiceKey | null
  #socket: WebSocket | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #tries = 0
  #isLive = false
  #isOver = false
  #refusal: string | null = null
  /** Texts typed while disconnected. */
  #unsent: ClientFrame[] = []
  /** Answers to questions, by token, until the server reports the outcome: a lost connection may have lost them. */
  #decisions = new Map<string, ClientFrame>()

  constructor(options: LinkOptions) {
    this.#options = options
    this.#key = options.key
  }

  open(): void {
    this.#options.onPhase({ phase: 'connecting' })
    const socket = new WebSocket(this.#options.url)
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    this.#timer = setTimeout(() => this.#lose(socket), START_LIMIT_MS)
    socket.onopen = () => socket.send(JSON.stringify(this.#start()))
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket) this.#receive(data)
    }
    socket.onclose = () => this.#lose(socket)
  }

  /** False if the frame could not be sent now. Texts and answers to questions are sent after the reconnect. */
  send(frame: ClientFrame): boolean {
    if (frame.type === 'confirm' || frame.type === 'deny') this.#decisions.set(frame.token, frame)
    if (this.#isLive) this.#socket?.send(JSON.stringify(frame))
    else if (frame.type === 'text') this.#unsent.push(frame)
    return this.#isLive
  }

  sendSound(pcm: ArrayBuffer): void {
    if (this.#isLive) this.#socket?.send(pcm)
  }

  /** Reconnects without waiting for the next attempt. */
  retry(): void {
    if (this.#socket || this.#isOver) return
    clearTimeout(this.#timer)
    this.open()
  }

  /** Closes the connection without `end`: the session can be resumed. */
  leave(): void {
    this.#finish(null, null)
  }

  #start(): ClientFrame {
    if (this.#key) return { type: 'start', ...this.#key, timeZone: zoneOfPage() }
    return { type: 'start', pendingRequest: this.#options.pendingRequest?.slice(0, 500), timeZone: zoneOfPage() }
  }

  #receive(data: unknown): void {
    if (data instanceof ArrayBuffer) return this.#options.onSound(data)
    const frame = readFrame(String(data))
    if (frame === null) return
    if (frame.type === 'started') this.#started({ sessionId: frame.sessionId, resumeToken: frame.resumeToken })
    if (frame.type === 'confirmationClosed') this.#decisions.delete(frame.token)
    if (frame.type === 'error') this.#refusal = frame.code
    // Sent again, it would answer in place of what the user makes of the question now.
    if (frame.type === 'error' && frame.token !== undefined) this.#decisions.delete(frame.token)
    this.#options.onFrame(frame)
    if (frame.type === 'ended') this.#ended(frame)
  }

  #started(key: VoiceKey): void {
    clearTimeout(this.#timer)
    this.#key = key
    this.#tries = 0
    this.#isLive = true
    this.#options.onKey(key)
    this.#options.onPhase({ phase: 'live' })
    // The server answers a repeated answer with the outcome of the first, and runs nothing twice.
    for (const frame of [...this.#decisions.values(), ...this.#unsent.splice(0)]) this.send(frame)
  }

  #ended(frame: EndedFrame): void {
    if (!frame.resumable) this.#forgetKey()
    if (!PASSING.has(frame.cause) || !frame.resumable) this.#finish(frame, null)
  }

  #lose(socket: WebSocket): void {
    if (this.#socket !== socket || this.#isOver) return
    this.#drop()
    if (this.#refusal === 'resume_refused') {
      const wasNeverLive = this.#tries === 0 && this.#key === this.#options.key
      this.#refusal = null
      this.#forgetKey()
      // The stored session is over: the user wants to talk, so a new one begins.
      return wasNeverLive ? this.open() : this.#finish(null, 'the session is over, it cannot be resumed')
    }
    this.#tries += 1
    if (this.#tries > MAX_TRIES) return this.#finish(null, 'the voice server cannot be reached')
    const pause = BACKOFF_MS[Math.min(this.#tries, BACKOFF_MS.length) - 1] ?? 0
    const jittered = pause * (0.8 + 0.4 * Math.random())
    this.#timer = setTimeout(() => this.open(), jittered)
    this.#options.onPhase({ phase: 'waiting', retryAt: Date.now() + jittered })
  }

  #finish(ended: EndedFrame | null, message: string | null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#drop()
    this.#options.onPhase({ phase: 'over', ended, message })
  }

  #drop(): void {
    clearTimeout(this.#timer)
    this.#isLive = false
    const socket = this.#socket
    this.#socket = null
    socket?.close()
  }

  #forgetKey(): void {
    this.#key = null
    this.#options.onKey(null)
  }
}
