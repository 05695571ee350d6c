// The frames of a call's WebSocket, as JSON texts; binary frames are audio. README.md says what each means. Later versions may add
// members and types: ignore what is not known.

import type { ConfirmOptions, ConfirmationRequest, Grant, ShownArguments } from 'toolgate'

/** What a user shows to the tools of a call. */
export type PictureKind = 'webcam' | 'screen'

/** `sessionId` and `resumeToken` both or none. */
export interface StartFrame {
  type: 'start'
  sessionId?: string
  resumeToken?: string
  pendingRequest?: string
  /** IANA name. */
  timeZone?: string
}

/** `args`: all arguments, as the user has changed them; `grant`: later calls run unasked. */
export interface ConfirmFrame extends Pick<ConfirmOptions, 'args' | 'grant'> {
  type: 'confirm'
  token: string
}

/** What a page sends. `start` is the first one. */
export type ClientFrame =
  | StartFrame
  | { type: 'text'; text: string; id?: string }
  | { type: 'audioEnd' }
  | { type: 'played'; ms: number }
  | ConfirmFrame
  | { type: 'deny'; token: string; reason?: string }
  | { type: 'revoke'; grant: string }
  | { type: 'dtmf'; digit: string }
  | { type: 'picture'; kind: PictureKind; data: string }
  | { type: 'pictureOff'; kind: PictureKind }
  | { type: 'end' }

export interface StartedFrame {
  type: 'started'
  sessionId: string
  /** Keep it secret: whoever has it can act as this user. */
  resumeToken: string
  resumed: boolean
  turn: number
  toolsVersion: string
  simulator: boolean
  provider: 'gemini' | 'openai' | 'gptLive'
  model: string
  audio: { inputRate: number; outputRate: number }
  /** A spoken yes can confirm. */
  spokenConsent: boolean
}

export interface TranscriptFrame {
  type: 'transcript'
  direction: 'input' | 'output'
  utterance: string
  /** To be added to the earlier pieces of the utterance. */
  text: string
  final: boolean
  turn: number
}

export interface ToolCallFrame {
  type: 'toolCall'
  id: string
  name: string
  title: string
  turn: number
}

/** The call takes longer than its target; `expectedMs`: its usual duration in this session. */
export interface FillerFrame {
  type: 'filler'
  id: string
  name: string
  title: string
  expectedMs: number | null
}

/** What the handler of a running call has said, at most four times a second. */
export interface ToolProgressFrame {
  type: 'toolProgress'
  id: string
  name: string
  title: string
  /** At most 300 characters. */
  text: string
}

export interface ToolResultFrame {
  type: 'toolResult'
  /** Null for a call of which only the question is known. */
  id: string | null
  name: string
  title: string
  ok: boolean
  durationMs: number
  /** The call goes on in the background; its result follows under the same `id`. */
  pending?: true
  errorType?: string
  message?: string
  /** It may have run: whether it took effect is not known. */
  outcome?: 'unknown'
  /** The records that it found. */
  sources?: { id: string; title: string; url: string | null }[]
  /** Of a call that its user has approved. */
  data?: unknown
  /** What its user has changed; without `value` if it was removed or is long. */
  edited?: { path: string; value?: unknown }[]
}

/** What a card shows. Without `grantable` and `parameters` nothing can be granted or changed; with `approvers` others decide. */
export interface ShownRequest extends Pick<ConfirmationRequest, 'expires' | 'tool' | 'args' | 'preview' | 'approvers'> {
  token: string
  callId?: string
  rows?: ShownArguments['rows']
  parameters?: object
  grantable?: 'args' | 'tool'
  /** How many approvers have confirmed. */
  confirmations?: number
}

/** `readBack`: what the model is to say; absent where others decide. */
export interface ConfirmationFrame {
  type: 'confirmation'
  request: ShownRequest
  title: string
  readBack?: string
}

export interface ConfirmationClosedFrame {
  type: 'confirmationClosed'
  token: string
  outcome: 'confirmed' | 'denied' | 'expired'
  by: 'button' | 'dtmf' | 'speech' | 'elsewhere' | 'time'
}

export type ErrorCode =
  | 'bad_frame'
  | 'not_started'
  | 'already_started'
  | 'not_asked'
  | 'not_confirmed'
  | 'bad_picture'
  | 'no_pictures'
  | 'rate_limited'
  | 'user_timeout'
  | 'resume_refused'
  | 'start_expected'
  | 'provider_unavailable'
  | 'provider_lost'
  | 'internal'

export interface ErrorFrame {
  type: 'error'
  code: ErrorCode
  message: string
  /** Of `user_timeout`, epoch ms. */
  timeoutUntil?: number
  /** Of `not_confirmed`: nothing has run, and this question is still open. */
  token?: string
  errorType?: string
  details?: unknown
}

export type EndCause =
  'tool' | 'client' | 'superseded' | 'user_timeout' | 'idle' | 'duration' | 'provider_lost' | 'internal' | 'shutdown'

/** The last frame. */
export interface EndedFrame {
  type: 'ended'
  cause: EndCause
  reason: string
  closingMessage: string | null
  textResponse: string | null
  resumable: boolean
}

/** What a page gets, beside the messages of tools, which are passed on unchanged. */
export type ServerFrame =
  | StartedFrame
  | TranscriptFrame
  | { type: 'interrupted'; turn: number; heardMs: number }
  | { type: 'turnComplete'; turn: number }
  | ToolCallFrame
  | FillerFrame
  | ToolProgressFrame
  | ToolResultFrame
  | ConfirmationFrame
  | ConfirmationClosedFrame
  | { type: 'grants'; grants: Grant[] }
  | { type: 'state'; state?: Record<string, unknown>; provider?: 'reconnected'; turn: number }
  | { type: 'thinking'; active: boolean; turn: number }
  | { type: 'line'; kind: 'reconnecting' | 'thinking'; text: string | null }
  | { type: 'answerIncomplete'; reason: 'empty' | 'cut' | 'failed'; turn: number }
  | { type: 'timeout'; timeoutUntil: number; durationSeconds: number; message: string }
  | ErrorFrame
  | EndedFrame
