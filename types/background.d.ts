// Work that outlasts the turn: background calls, the delivery of their results, and calls that are completed from elsewhere.

import type { ToolResponse } from './responses'
import type { ModelMeta } from './views'

/** The result of a background call, held by the attachment that took it until it is accepted or released. */
export interface BackgroundResult {
  toolId: string
  callId: string | null
  /** The turn in which the call was made. */
  turn: number | null
  response: ToolResponse
  /**
   * The provider, or the user, has the result: it is not offered again. Call it once an open connection has taken the answer.
   * With `answer`, the one that was handed over, nothing is accepted if that does not say what became of the call: it runs, waits
   * for its user, was cancelled while a write had begun, or timed out. False then, and if another attachment has the result now.
   */
  accept(answer?: ToolResponse): Promise<boolean>
  /** Gives the result back: it is offered again. */
  release(): Promise<boolean>
}

/** The result of a call that is answered directly, held until it is accepted (`holdResults`). */
export interface HeldResult {
  /** The model has the result: it is not offered. As `accept` of {@link BackgroundResult}. */
  accept(answer?: ToolResponse): Promise<boolean>
}

/** A call that runs in the background, or whose result waits for its delivery. */
export interface BackgroundCall {
  callId: string | null
  toolId: string
  /** The turn in which the call was made. */
  turn: number | null
  /** Epoch milliseconds. */
  startedAt: number
  /** False if the call has ended and its result waits. */
  running: boolean
}

/** The background calls of a session. */
export interface BackgroundWork {
  /**
   * The results of background calls, each once per session, whichever attachment takes it. From the first one on, a call of a
   * tool with `background` is answered early: `{ ok: true, data: { status: 'running', callId } }` with `meta.pending`. A result
   * that was taken is offered again if its attachment leaves, or when its process has died (elsewhere than on this machine: after a minute). A write whose process
   * died is delivered as CONFLICT (`details.outcome: 'unknown'`); a read runs again.
   *
   * Ends when the attachment leaves, the session ends or `signal` is aborted; with `wait: false` after the results that are
   * there. At most 100 results wait per session; further calls are waited for.
   */
  results(options?: { wait?: boolean; signal?: AbortSignal }): AsyncGenerator<BackgroundResult, void, void>
  /**
   * The result of a call with this id that the attachment holds: with `holdResults`, that of a write which it has answered
   * directly, or confirmed; that of a call which it took from `results()`. Null if it holds none.
   */
  heldResult(callId: string): HeldResult | null
  /** The background calls, oldest first. */
  backgroundCalls(): Promise<BackgroundCall[]>
  /**
   * Cancels a call, also one that was answered early. `aborted`: nothing was done; `continues`: others wait for it; `unknown`: a
   * started write, which runs on; null: no such call runs, or another process runs it.
   */
  cancelBackground(callId: string, reason?: string): Promise<'aborted' | 'continues' | 'unknown' | null>
}

/** What {@link pending} makes. */
export interface PendingCompletion {
  readonly __pending?: never
}

/**
 * What a handler returns if its call is completed from elsewhere, by `registry.complete`. The call's callers are answered
 * early, or wait for the completion if the attachment takes no results. It ends at its deadline (`timeoutMs`) at the latest.
 * @throws {TypeError} without the token of `context.completionToken()`
 */
export function pending(completion: { token: string }): PendingCompletion

/**
 * The result of a background call as a message to a model whose call was answered before, for providers that take one answer
 * for a call: a sentence with the answer as JSON, as {@link toModelResponse} gives it with the same `meta` (default `lean`).
 */
export function toResultNote(result: { toolId: string; response: ToolResponse }, options?: { meta?: ModelMeta }): string
