// A session's state.

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
  /** False if the intent was refused; a refused intent changes nothing. */
  applyIntent(intent: Intent): boolean
  getSnapshot(): Readonly<SessionState>
  /** As `applyIntent`. */
  apply(intent: Intent): boolean
  /** As `getSnapshot`. */
  snapshot(): Readonly<SessionState>
  /** The changes, oldest first. `isActive`, of a controller outside a session: whether it was active after the change. */
  readonly history: { field: string; value: JsonValue; at: string; by: string; callId?: string; isActive?: boolean }[]
}
/**
 * Creates a state controller outside a session. `initial` may hold the built-in fields too; outside a session `isActive`
 * is what the host sets, and while it is false intents are refused.
 */
export function createStateController(initial?: Record<string, JsonValue>): StateController
