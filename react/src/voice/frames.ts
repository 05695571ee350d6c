// The voice server's frames, as documented in voice-server/README.md and frames.d.ts. Unknown members are ignored.
import type { Grant } from 'toolgate'
import type { ShownQuestion, Wishes } from '../question/shown-question.js'

/** What a user shows to the tools of a call. */
export type FrameKind = 'webcam' | 'screen'

export interface StartedFrame {
  type: 'started'
  sessionId: string
  resumeToken: string
  resumed: boolean
  turn: number
  simulator: boolean
  provider: string
  model: string
  audio: { inputRate: number; outputRate: number }
  spokenConsent: boolean
}

export interface TranscriptFrame {
  type: 'transcript'
  direction: 'input' | 'output'
  /** Id of the utterance that this piece belongs to. */
  utterance: string
  text: string
  final: boolean
  turn: number
}

interface ToolFrame {
  id: string | null
  name: string
  title?: string
}

export interface ToolResultFrame extends ToolFrame {
  type: 'toolResult'
  ok: boolean
  durationMs?: number
  errorType?: string
  message?: string
  /** It may have run: whether it took effect is not known. */
  outcome?: 'unknown'
  /** The records that the call found. */
  sources?: { id: string; title: string; url: string | null }[]
  /** The result of a call that the user has approved. */
  data?: unknown
  /** What its user has changed of it. */
  edited?: { path: string; value?: unknown }[]
}

/** What the handler of a running call has said. */
export interface ToolProgressFrame extends ToolFrame {
  type: 'toolProgress'
  text: string
}

export type ClosedBy = 'button' | 'dtmf' | 'speech' | 'elsewhere' | 'time'

export interface EndedFrame {
  type: 'ended'
  cause:
    'tool' | 'client' | 'superseded' | 'user_timeout' | 'idle' | 'duration' | 'provider_lost' | 'internal' | 'shutdown'
  reason: string
  closingMessage: string | null
  textResponse: string | null
  resumable: boolean
}

/** The model is silent; `text`: what is to be said instead, null for a sound or nothing. */
export interface LineFrame {
  type: 'line'
  kind: 'reconnecting' | 'thinking'
  text: string | null
}

export interface AnswerIncompleteFrame {
  type: 'answerIncomplete'
  reason: 'empty' | 'cut' | 'failed'
  turn: number
}

/** `callId`: of the call that asked, as in its frames. */
export type VoiceQuestion = ShownQuestion & { token: string; callId?: string | null }

export interface ErrorFrame {
  type: 'error'
  code: string
  message: string
  timeoutUntil?: number
  /** Of `not_confirmed`: nothing has run, and this question is still open. */
  token?: string
  errorType?: string
  details?: unknown
}

export type ServerFrame =
  | StartedFrame
  | TranscriptFrame
  | { type: 'interrupted'; turn: number }
  | { type: 'turnComplete'; turn: number }
  | (ToolFrame & { type: 'toolCall'; turn: number })
  | (ToolFrame & { type: 'filler'; expectedMs: number | null })
  | ToolProgressFrame
  | ToolResultFrame
  | { type: 'thinking'; active: boolean; turn: number }
  | LineFrame
  | AnswerIncompleteFrame
  | { type: 'confirmation'; request: VoiceQuestion; title?: string; readBack?: string }
  | { type: 'confirmationClosed'; token: string; outcome: 'confirmed' | 'denied' | 'expired'; by?: ClosedBy }
  | { type: 'state'; state?: Record<string, unknown>; provider?: 'reconnected'; turn: number }
  | { type: 'timeout'; timeoutUntil: number; durationSeconds: number; message: string }
  | { type: 'grants'; grants: Grant[] }
  | ErrorFrame
  | EndedFrame

export type ClientFrame =
  | { type: 'start'; sessionId?: string; resumeToken?: string; pendingRequest?: string; timeZone?: string }
  | { type: 'text'; text: string; id: string }
  | { type: 'audioEnd' | 'end' }
  | { type: 'played'; ms: number }
  | ({ type: 'confirm'; token: string } & Wishes)
  | { type: 'deny'; token: string }
  | { type: 'revoke'; grant: string }
  | { type: 'picture'; kind: FrameKind; data: string }
  | { type: 'pictureOff'; kind: FrameKind }

/** Parses a frame; `null` if the text is not a frame. Frames of unknown types pass and are ignored later. */
export function readFrame(text: string): ServerFrame | null {
  try {
    const frame: unknown = JSON.parse(text)
    return typeof frame === 'object' && frame !== null && 'type' in frame ? (frame as ServerFrame) : null
  } catch {
    return null
  }
}
