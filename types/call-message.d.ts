// The message of the diagnostics channel `toolgate:call`.

import type { ErrorTypeName, JsonValue } from '../index'

/**
 * One answered call: what `node:diagnostics_channel` publishes as `toolgate:call`. Each call of a session, of a handler
 * (`callTool`) and of `executeTool` is published once, before its caller continues.
 */
export interface CallMessage {
  /** Null for a call without a session. */
  sessionId: string | null
  /** The principal of the attachment, as the host gives it; null if it gives none. */
  principal: string | null
  /** As called; null if the gate failed. */
  toolId: string | null
  /** Null if the tool does not exist. */
  toolVersion: string | null
  /** The provider's id. */
  callId: string | null
  /** The provider's id of the call whose handler made this call. */
  parentCallId: string | null
  mode: string | null
  turn: number | null
  /**
   * - `ran`: a handler ran, with any end
   * - `refused`: nothing ran
   * - `asked`: nothing ran, and the user is asked (`CONFIRMATION_REQUIRED`)
   * - `replayed`: the answer is that of an earlier call, or of an equal call that was running
   * - `cached`: the answer is a cached result
   */
  outcome: 'ran' | 'refused' | 'asked' | 'replayed' | 'cached'
  readonly ok: boolean
  /** Null on success. */
  errorType: ErrorTypeName | null
  /** The number of starts of the handler. */
  attempts: number
  /** From the call's arrival to its answer, in milliseconds; null if the gate failed. */
  durationMs: number | null
  /**
   * The completed arguments with `***` in place of `x-sensitive` values, made when they are first read; of a confirmed call, those
   * that it ran with. Null if they are invalid or not JSON, and for a confirmation by which nothing ran.
   */
  readonly args: Record<string, JsonValue> | null
  /**
   * The answer, with `***` in place of the call's sensitive values and of members with their names, made when it is first read;
   * `preview`: what a user is shown. Null if it may have sensitive values that can't be found: of a tool that has some, for a
   * confirmation that is answered by an earlier one, or if the arguments are not known.
   */
  readonly answer: {
    data?: JsonValue
    error?: { type: ErrorTypeName; message: string; partialSideEffects?: true; preview?: string }
  } | null
}
