// How calls run: how many at once, what handlers say meanwhile, and what they call.

import type { JsonValue, ToolResponse } from '../index'

/** Per session. A call over these waits its turn, first come, first served; a full queue is TRANSIENT with `retryAfterMs`. */
export interface RunningLimits {
  /** Calls that run at once (default 64). */
  sessionCalls?: number
  /** Calls of one tool that run at once (default 32); one, where the tool says `parallel: false`. */
  toolCalls?: number
  /** Calls that wait (default 1000). Nothing of a call that finds no place is recorded or counted. */
  queuedCalls?: number
  /** How long one waits (default 10 000 ms). A handler's own deadline begins when it is started. */
  queueMs?: number
}

/** What a handler said of its call with `context.progress(update)`. */
export interface ProgressNews {
  toolId: string
  callId: string | null
  /** A copy, as plain JSON. */
  update: JsonValue
}

/**
 * Calls a tool from a handler, through the same gate: the call is judged in the session's mode, counts toward the turn's
 * budgets, runs in the caller's slot and in what is left of its time, and is over when the caller is. At most 4 calls deep.
 * A tool that runs alone (`parallel: false`) is CONFLICT from within itself. A tool that needs a confirmation answers
 * CONFIRMATION_REQUIRED without the token: the host finds the question in `listPending()`. When the caller is tried again,
 * its n-th equal call gets what was recorded of that call in the attempt before.
 */
export type CallTool = (
  toolId: string,
  args?: Record<string, unknown> | string | Uint8Array | null,
) => Promise<ToolResponse>

/**
 * What becomes of an error that a handler throws outside its promise (in a timer, in a promise without a waiter).
 * `crash` (default): Node's own way, which ends the process and every call in it. `report`: `onHandlerError` hears it and
 * the process goes on; until `close()` there are listeners for it on `process`. Errors that are no handler's stay Node's.
 */
export type StrayErrors = 'crash' | 'report'
