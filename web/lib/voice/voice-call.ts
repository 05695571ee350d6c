// One voice call of this page: connection, sound and log together, as a store that React reads.
import { type VoiceKey, forgetVoiceKey, keepVoiceKey } from '@/lib/voice-key'
import type { EndedFrame, ServerFrame, StartedFrame } from './frames'
import { type Microphone, VoiceAudio } from './voice-audio'
import { VoiceLink, type LinkPhase } from './voice-link'
import { EMPTY_LOG, type VoiceEvent, type VoiceLog, extendLog } from './voice-log'

/** After a resume the questions that still wait are told at once; those that were not told by then do not wait. */
const CHECK_MS = 1500
/** Between two reports of what has been played. */
const REPORT_MS = 250

export type CallPhase = { phase: 'idle' } | LinkPhase

export interface CallState {
  link: CallPhase
  /** What the server said of itself. */
  started: StartedFrame | null
  microphone: Microphone
  isMuted: boolean
  isSpeaking: boolean
  /** Something that the user should know and that did not end the call. */
  problem: string | null
  /** The pause that a tool asked for, epoch milliseconds. */
  timeoutUntil: number
  log: VoiceLog
}

/** Without the event's place: the call knows where it is. */
type Happening = VoiceEvent extends infer E ? (E extends unknown ? Omit<E, 'after'> : never) : never

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

export class VoiceCall {
  /** Loudness now, 0 to 1: read by whoever draws it, too often for a state. */
  levels = { microphone: 0, voice: 0 }
  /** How many messages the text chat has. */
  place = 0
  #url: string
  #state = IDLE
  #listeners = new Set<() => void>()
  #link: VoiceLink | null = null
  #audio: VoiceAudio | null = null
  #playedMs = 0
  #reportedAt = 0

  constructor(url: string) {
    this.#url = url
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  read = (): CallState => this.#state

  readInitial = (): CallState => IDLE

  /** To be called by a press of the user. @param key of a session to resume */
  async start(key: VoiceKey | null, pendingRequest?: string): Promise<void> {
    if (this.isOn) return
    this.#set({ ...IDLE, link: { phase: 'connecting' }, log: this.#state.log, timeoutUntil: this.#state.timeoutUntil })
    const audio = new VoiceAudio({
      onHeard: (pcm, level) => this.#heard(pcm, level),
      onPlayed: news => this.#played(news),
    })
    this.#audio = audio
    // What is said from now on is sent once the connection is there.
    const link = new VoiceLink({
      url: this.#url,
      key,
      pendingRequest,
      onPhase: phase => this.#phase(phase),
      onFrame: frame => this.#frame(frame),
      onSound: pcm => audio.play(pcm),
      onKey: changed => (changed ? keepVoiceKey(changed) : forgetVoiceKey()),
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
    this.#happened({ type: 'typed', id, text })
    this.#audio?.flush(false)
    this.#link?.send({ type: 'text', text, id })
  }

  mute(isMuted: boolean): void {
    this.#audio?.mute(isMuted)
    if (isMuted) this.#link?.send({ type: 'audioEnd' })
    this.levels.microphone = 0
    this.#set({ isMuted })
  }

  decide(token: string, decision: 'approve' | 'deny'): void {
    if (this.#link?.send({ type: decision === 'approve' ? 'confirm' : 'deny', token }))
      this.#happened({ type: 'decided', token, decision })
  }

  /** The time of a question is over, by the page's own clock. */
  expire(token: string): void {
    this.#happened({ type: 'expired', token })
  }

  retry(): void {
    this.#link?.retry()
  }

  /** Hangs up for good. */
  end(): void {
    if (this.#link?.send({ type: 'end' })) return
    forgetVoiceKey()
    this.leave()
  }

  /** The page goes; the session stays. */
  leave(): void {
    this.#link?.leave()
  }

  #phase(link: LinkPhase): void {
    const was = this.#state.link.phase
    this.#set({ link })
    if (link.phase === 'waiting' || link.phase === 'over') this.#silence()
    if (link.phase === 'waiting' && was === 'live') this.#happened({ type: 'disconnected' })
    if (link.phase === 'over') this.#over(link.ended, link.message)
  }

  #over(ended: EndedFrame | null, message: string | null): void {
    this.#audio?.close()
    this.#audio = null
    this.#link = null
    this.#happened({ type: 'disconnected' })
    this.#happened({ type: 'checked' })
    this.#happened({ type: 'note', tone: message ? 'stop' : 'neutral', text: wordingOfEnd(ended, message) })
    if (ended?.textResponse) this.#happened({ type: 'note', tone: 'neutral', text: ended.textResponse })
  }

  #frame(frame: ServerFrame): void {
    this.#happened({ type: 'frame', frame, isHeard: this.#state.isSpeaking })
    switch (frame.type) {
      case 'started':
        return void this.#began(frame)
      case 'interrupted':
        return this.#audio?.flush(true)
      case 'timeout':
        return this.#set({ timeoutUntil: frame.timeoutUntil })
      case 'error':
        return this.#troubled(frame)
    }
  }

  async #began(frame: StartedFrame): Promise<void> {
    const { inputRate = 16_000, outputRate = 24_000 } = frame.audio ?? {}
    this.#set({ started: frame, problem: null })
    if (frame.resumed) setTimeout(() => this.#happened({ type: 'checked' }), CHECK_MS)
    const audio = this.#audio
    audio?.openSpeaker(outputRate)
    const microphone = (await audio?.openMicrophone(inputRate)) ?? 'none'
    if (this.#audio === audio) this.#set({ microphone })
  }

  #troubled({ code, message, timeoutUntil }: Extract<ServerFrame, { type: 'error' }>): void {
    if (code === 'user_timeout' && timeoutUntil) return this.#set({ timeoutUntil })
    if (code !== 'resume_refused') this.#set({ problem: message })
  }

  #heard(pcm: ArrayBuffer, level: number): void {
    this.levels.microphone = level
    if (this.#state.timeoutUntil <= Date.now()) this.#link?.sendSound(pcm)
  }

  #played({ playing, playedMs, level }: { playing: boolean; playedMs: number; level: number }): void {
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

  #silence(): void {
    this.#audio?.flush(true)
    this.levels.microphone = this.levels.voice = 0
    this.#set({ isSpeaking: false })
  }

  #happened(happening: Happening): void {
    this.#set({ log: extendLog(this.#state.log, { ...happening, after: this.place } as VoiceEvent) })
  }

  #set(change: Partial<CallState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

function wordingOfEnd(ended: EndedFrame | null, message: string | null): string {
  if (message) return `The call has ended: ${message}.`
  switch (ended?.cause) {
    case 'superseded':
      return 'The call goes on in another window or on another device.'
    case 'user_timeout':
      return 'The assistant has paused this conversation.'
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
