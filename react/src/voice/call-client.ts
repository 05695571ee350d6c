// One voice call of this page: connection, audio and log, as an external store for React.
import type { Wishes } from '../question/shown-question.js'
import { type VoiceKey, forgetVoiceKey, storeVoiceKey } from './voice-key.js'
import type { ClientFrame, EndedFrame, ErrorFrame, FrameKind, ServerFrame, StartedFrame } from './frames.js'
import { type Microphone, VoiceAudio } from './voice-audio.js'
import { VoiceLink, type LinkPhase } from './voice-link.js'
import { EMPTY_LOG, type VoiceEvent, type VoiceLog, extendLog } from './voice-log.js'

/** Time after a resume in which the server sends the open questions; questions not sent by then are no longer open. */
const RESUME_CHECK_MS = 1500
/** Interval of `played` reports. */
const REPORT_MS = 250

export type CallPhase = { phase: 'idle' } | LinkPhase

export interface CallState {
  link: CallPhase
  /** The server's `started` frame. */
  started: StartedFrame | null
  microphone: Microphone
  isMuted: boolean
  isSpeaking: boolean
  /** A problem to show to the user that did not end the call. */
  problem: string | null
  /** End of the user's timeout, epoch milliseconds. */
  timeoutUntil: number
  log: VoiceLog
}

/** A VoiceEvent without `after`, which the call adds. */
type LocalEvent = VoiceEvent extends infer E ? (E extends unknown ? Omit<E, 'after'> : never) : never

const IDLE: CallState = {
  link: { phase: 'idle' },
  started: null,
  microphone: 'waiting',
  isMuted: false,
  isSpeaking: false,
  problem: null,
  timeoutUntil: 0,
  log: EMPTY_LOG,
}

export class CallClient {
  /** Current loudness, 0 to 1. Not part of the state: it changes too often, and the meter reads it directly. */
  levels = { microphone: 0, voice: 0 }
  #url: string
  #state = IDLE
  #listeners = new Set<() => void>()
  #link: VoiceLink | null = null
  #audio: VoiceAudio | null = null
  #playedMs = 0
  #pictures = Promise.resolve()
  #reportedAt = 0
  /** Of the text chat. */
  #messageCount = 0

  constructor(url: string) {
    this.#url = url
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  read = (): CallState => this.#state

  readInitial = (): CallState => IDLE

  /** Must be called in a user gesture. @param key of a session to resume */
  async start(key: VoiceKey | null, pendingRequest?: string): Promise<void> {
    if (this.isOn) return
    this.#set({ ...IDLE, link: { phase: 'connecting' }, log: this.#state.log, timeoutUntil: this.#state.timeoutUntil })
    const audio = new VoiceAudio({
      onHeard: (pcm, level) => this.#handleMicrophone(pcm, level),
      onPlayed: news => this.#handlePlayback(news),
    })
    this.#audio = audio
    // The link keeps texts until the connection is open.
    const link = new VoiceLink({
      url: this.#url,
      key,
      pendingRequest,
      onPhase: phase => this.#handlePhase(phase),
      onFrame: frame => this.#handleFrame(frame),
      onSound: pcm => audio.play(pcm),
      onKey: changed => (changed ? storeVoiceKey(changed) : forgetVoiceKey()),
    })
    this.#link = link
    try {
      await audio.open()
    } catch {
      this.#set({ problem: 'this browser gives no sound: you can type, and read the answers' })
    }
    if (this.#link === link) link.open()
  }

  get isOn(): boolean {
    return this.#state.link.phase !== 'idle' && this.#state.link.phase !== 'over'
  }

  say(text: string): void {
    const id = crypto.randomUUID()
    this.#addEvent({ type: 'typed', id, text })
    this.#audio?.flush(false)
    this.#link?.send({ type: 'text', text, id })
  }

  mute(isMuted: boolean): void {
    this.#audio?.mute(isMuted)
    if (isMuted) this.#link?.send({ type: 'audioEnd' })
    this.levels.microphone = 0
    this.#set({ isMuted })
  }

  decide(token: string, decision: 'approve' | 'deny', wishes: Wishes = {}): void {
    const frame: ClientFrame = decision === 'approve' ? { type: 'confirm', token, ...wishes } : { type: 'deny', token }
    this.#addEvent({ type: 'decided', token, decision, wishes })
    if (isTooLarge(frame)) this.#handleFrame({ type: 'error', code: 'not_confirmed', token, ...TOO_LARGE })
    else this.#link?.send(frame)
  }

  /** Ends a grant; false if it could not be sent now. */
  revoke(grant: string): boolean {
    return this.#link?.send({ type: 'revoke', grant }) === true
  }

  /** A picture of the camera or the screen for the tools of a live call; `null`: the user shows it no more. */
  showPicture = (kind: FrameKind, picture: Blob | null): void => {
    // In order: a picture that is still read must not follow the frame that takes it back.
    this.#pictures = this.#pictures.then(async () => {
      if (picture === null) return void this.#link?.send({ type: 'pictureOff', kind })
      if (this.#state.link.phase !== 'live') return
      const bytes = new Uint8Array(await picture.arrayBuffer())
      this.#link?.send({
        type: 'picture',
        kind,
        data: btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join('')),
      })
    })
  }

  /** Forgets what was said in a call that is over. */
  clear(): void {
    if (!this.isOn && this.#state.log.entries.length > 0) this.#set({ log: EMPTY_LOG })
  }

  /** Marks a question as expired by the page's own clock. */
  expire(token: string): void {
    this.#addEvent({ type: 'expired', token })
  }

  retry(): void {
    this.#link?.retry()
  }

  /** What comes from now on stands after this number of messages of the text chat. */
  countMessages(count: number): void {
    this.#messageCount = count
  }

  /** Ends the session. */
  end(): void {
    if (this.#link?.send({ type: 'end' })) return
    forgetVoiceKey()
    this.leave()
  }

  /** Closes the connection without ending the session. */
  leave(): void {
    this.#link?.leave()
  }

  #handlePhase(link: LinkPhase): void {
    const was = this.#state.link.phase
    this.#set({ link })
    if (link.phase === 'waiting' || link.phase === 'over') this.#stopPlayback()
    if (link.phase === 'waiting' && was === 'live') this.#addEvent({ type: 'disconnected' })
    if (link.phase === 'over') this.#handleEnd(link.ended, link.message)
  }

  #handleEnd(ended: EndedFrame | null, message: string | null): void {
    this.#audio?.close()
    this.#audio = null
    this.#link = null
    this.#addEvent({ type: 'disconnected' })
    this.#addEvent({ type: 'checked' })
    this.#addEvent({ type: 'note', tone: message ? 'stop' : 'neutral', text: endText(ended, message) })
    if (ended?.textResponse) this.#addEvent({ type: 'note', tone: 'neutral', text: ended.textResponse })
  }

  #handleFrame(frame: ServerFrame): void {
    this.#addEvent({ type: 'frame', frame, isPlaying: this.#state.isSpeaking })
    switch (frame.type) {
      case 'started':
        return void this.#handleStarted(frame)
      case 'interrupted':
        return this.#audio?.flush(true)
      case 'timeout':
        return this.#set({ timeoutUntil: frame.timeoutUntil })
      case 'error':
        return this.#handleError(frame)
    }
  }

  async #handleStarted(frame: StartedFrame): Promise<void> {
    const { inputRate = 16_000, outputRate = 24_000 } = frame.audio ?? {}
    this.#set({ started: frame, problem: null })
    if (frame.resumed) setTimeout(() => this.#addEvent({ type: 'checked' }), RESUME_CHECK_MS)
    const audio = this.#audio
    audio?.openSpeaker(outputRate)
    const microphone = (await audio?.openMicrophone(inputRate)) ?? 'none'
    if (this.#audio === audio) this.#set({ microphone })
  }

  #handleError({ code, message, timeoutUntil, token }: ErrorFrame): void {
    // Its card says so.
    if (token !== undefined) return
    if (code === 'user_timeout' && timeoutUntil) return this.#set({ timeoutUntil })
    if (code !== 'resume_refused') this.#set({ problem: message })
  }

  #handleMicrophone(pcm: ArrayBuffer, level: number): void {
    this.levels.microphone = level
    if (this.#state.timeoutUntil <= Date.now()) this.#link?.sendSound(pcm)
  }

  #handlePlayback({ playing, playedMs, level }: { playing: boolean; playedMs: number; level: number }): void {
    this.levels.voice = playing ? level : 0
    this.#playedMs = playedMs
    if (playing !== this.#state.isSpeaking) this.#set({ isSpeaking: playing })
    if (this.#state.started?.audio && playedMs > 0 && (!playing || Date.now() - this.#reportedAt > REPORT_MS))
      this.#report()
  }

  #report(): void {
    this.#reportedAt = Date.now()
    this.#link?.send({ type: 'played', ms: this.#playedMs })
  }

  #stopPlayback(): void {
    this.#audio?.flush(true)
    this.levels.microphone = this.levels.voice = 0
    this.#set({ isSpeaking: false })
  }

  #addEvent(event: LocalEvent): void {
    this.#set({ log: extendLog(this.#state.log, { ...event, after: this.#messageCount } as VoiceEvent) })
  }

  #set(change: Partial<CallState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

/** The largest frame that a voice server takes by default: it ends a connection that sends a larger one. */
const MAX_FRAME_BYTES = 256 * 1024
const TOO_LARGE = {
  errorType: 'VALIDATION',
  message: 'This is more than the server takes at once. Make it shorter and try again.',
}

const isTooLarge = (frame: ClientFrame): boolean => new Blob([JSON.stringify(frame)]).size > MAX_FRAME_BYTES

function endText(ended: EndedFrame | null, message: string | null): string {
  if (message) return `The call has ended: ${message}.`
  switch (ended?.cause) {
    case 'superseded':
      return 'The call goes on in another window or on another device.'
    case 'user_timeout':
      return 'The assistant has paused this conversation.'
    case 'idle':
      return 'The call has ended because nobody has spoken for a while.'
    case 'duration':
      return 'The call has ended because it has reached its longest duration.'
    case 'provider_lost':
    case 'internal':
    case 'shutdown':
      return 'The call was cut off.'
    case 'tool':
      return ended.closingMessage
        ? `The assistant has ended the call: “${ended.closingMessage}”`
        : 'The assistant has ended the call.'
    default:
      return 'The call has ended.'
  }
}
