// The frames of a call's WebSocket, as JSON texts; binary frames are audio. README.md says what each means. Later versions may add
// members and types: ignore what is not known.

import type { ConfirmOptions, ConfirmationRequest, Grant, ShownArguments } from 'toolgate'

/** What a user shows to the tools of a call. */
export type PictureKind = 'webcam' | 'screen'

/** `sessionId` and `resumeToken` both or none. A new session answers `pendingRequest` in its first turn; a resumed one ignores it. */
export interface StartFrame {
  type: 'start'
  sessionId?: string
  resumeToken?: string
  /** At most 500 characters. */
  pendingRequest?: string
  /** IANA name, for the times that the user is asked about. */
  timeZone?: string
}

/**
 * `args`: all arguments, as the user has changed them; `grant`: later calls run unasked. If they are refused nothing runs, and the question
 * stays open (`not_confirmed`). With any other member the frame is `bad_frame`: a misspelt change would run what was shown.
 */
export interface ConfirmFrame extends Pick<ConfirmOptions, 'args' | 'grant'> {
  type: 'confirm'
  token: string
}

/** What a page sends. `start` is the first one. */
export type ClientFrame =
  | StartFrame
  | { type: 'text'; text: string; id?: string }
  | { type: 'audioEnd' }
  /** A few times per second during playback; without it the server estimates what was heard by the clock. */
  | { type: 'played'; ms: number }
  | ConfirmFrame
  /** `reason`: at most 500 characters. */
  | { type: 'deny'; token: string; reason?: string }
  | { type: 'revoke'; grant: string }
  /** `0` to `9`, `*`, `#`. `1` and `2` answer the question whose `readBack` was said last, else `not_asked`; others have no effect. */
  | { type: 'dtmf'; digit: string }
  /** `data`: JPEG, PNG or WebP in base64. */
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

/**
 * The call takes longer than its target, or is expected to. Once per call, never after its result. `expectedMs`: its usual duration in this
 * session, null if unknown.
 */
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

/**
 * Sent after `started` if it came while no client was there, and again under the `id` of the call that asked once its user has decided.
 * `errorType` and `message` only if `ok` is false.
 */
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
  /** In plain words: those of the gate, which have no sensitive value, or of the handler. */
  message?: string
  /** It may have run: whether it took effect is not known. */
  outcome?: 'unknown'
  /** The records that it found, at most 10. */
  sources?: { id: string; title: string; url: string | null }[]
  /** Of a call that its user has approved; all other data goes to the model alone. */
  data?: unknown
  /** What its user has changed; without `value` if it was removed or is long. */
  edited?: { path: string; value?: unknown }[]
}

/**
 * What a card shows. Without `grantable` and `parameters` nothing can be granted or changed. With `approvers` others decide: `deny` withdraws
 * the call, and the frame is sent again when `confirmations` changes.
 */
export interface ShownRequest extends Pick<ConfirmationRequest, 'expires' | 'tool' | 'args' | 'preview' | 'approvers'> {
  token: string
  callId?: string
  /** The arguments as a user must see them. */
  rows?: ShownArguments['rows']
  /** JSON Schema of the arguments that the user may change. */
  parameters?: object
  /** The arguments that are sensitive, or have sensitive parts: these cannot be changed. */
  sensitiveArguments?: string[]
  /** The widest `scope` of a grant. */
  grantable?: 'args' | 'tool'
  /** How many approvers have confirmed. */
  confirmations?: number
}

/** `readBack`: what the model is to say; absent where others decide. Sent again after a resume, and when the model asks again. */
export interface ConfirmationFrame {
  type: 'confirmation'
  request: ShownRequest
  title: string
  readBack?: string
}

/**
 * `confirmed` can come before the call's `toolResult`: the call runs. `elsewhere`: answered in another client. A second answer, even in
 * another process, gets the outcome of the first, a late one `expired` with the way it was given.
 */
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
  /** `heardMs`: how much of the voice since the last `interrupted` the user has heard, as the server estimates. */
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
