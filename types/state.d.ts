// A session's state: what its fields are, and who may change them.

import type { Intent, JsonValue } from '../index'

export interface SessionState {
  mode: string
  isActive: boolean
  pendingEndVoiceSession: {
    after: string
    reason: string
    closingMessage: string | null
    textResponse: string | null
  } | null
  pendingMessage: string | null
  shouldSuppressAudio: boolean
  shouldSuppressTranscript: boolean
  [field: string]: JsonValue
}

export interface StateController {
  get(field: string): any
  set(field: string, value: JsonValue): void
  /** False where the intent was refused; a refused one changes nothing. */
  applyIntent(intent: Intent): boolean
  getSnapshot(): Readonly<SessionState>
  readonly history: { field: string; value: JsonValue; at: string; by: string; callId?: string }[]
}
/** A state controller on its own, outside a session. */
export function createStateController(initial?: Record<string, JsonValue>): StateController
