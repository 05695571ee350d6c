// The execution of calls: concurrency limits, progress, nested calls, stray errors.

import type { ConfirmationRequest, JsonValue, ToolResponse } from '../index'

/**
 * Limits per session. A call over a limit waits in a FIFO queue; if the queue is full, it is TRANSIENT with
 * `retryAfterMs`.
 */
export interface RunningLimits {
  /** Calls that run at once (default 64). */
  sessionCalls?: number
  /** Calls of one tool that run at once (default 32); one if the tool has `parallel: false`. */
  toolCalls?: number
  /** Length of the queue (default 1000). A call refused by a full queue is not recorded or counted. */
  queuedCalls?: number
  /** Longest time in the queue (default 10 000 ms). A handler's deadline begins when it is started. */
  queueMs?: number
}

/** A handler's report by `context.progress(update)`. */
export interface ProgressNews {
  toolId: string
  callId: string | null
  /** A copy, as plain JSON. */
  update: JsonValue
}

/**
 * Calls a tool from a handler, through the same gate. The call is checked in the session's mode, counts toward the
 * turn's budgets, runs in the caller's slot and remaining time, and ends with the caller. At most 4 calls deep. A tool
 * with `parallel: false` that calls itself gets CONFLICT. A tool that needs a confirmation answers
 * CONFIRMATION_REQUIRED without the token: the host finds the question in `listPending()`. With `confirmation: 'wait'` it waits
 * for the user instead. If the caller is retried, its n-th equal call replays the record of that call in the previous attempt.
 */
export type CallTool = (
  toolId: string,
  args?: Record<string, unknown> | string | Uint8Array | null,
  options?: NestedCallOptions,
) => Promise<ToolResponse>

export interface NestedCallOptions {
  /**
   * Waits while the session's user is asked, in whichever process the answer is given, and resolves with the answer of the
   * confirmed call. A denial is CANCELLED with `details.outcome` `declined`, a confirmation that has expired
   * CONFIRMATION_EXPIRED. The deadlines of the calling tools stand still meanwhile (`meta.deadline` does not move). If the
   * caller ends first, the confirmation expires.
   */
  confirmation?: 'wait'
}

/** What the user is asked about a handler's call that waits for the answer. */
export interface NestedConfirmation extends ConfirmationRequest {
  token: string
  /** The id of the model's call whose handler makes it. */
  callId: string | null
}

/**
 * The handling of stray errors: errors that a handler throws outside its promise (in a timer, in a promise that nothing
 * awaits). `crash` (default): as in Node, which ends the process and every call in it. `report`: `onHandlerError`
 * receives the error and the process continues; until `close()` there are listeners on `process`. Errors outside
 * handlers are not affected.
 */
export type StrayErrors = 'crash' | 'report'
