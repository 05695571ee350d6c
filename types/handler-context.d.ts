// What a handler gets.

import type { JsonValue } from './responses'
import type { SessionState } from './state'
import type { CallTool } from './running'

export interface HandlerContext<Args = any> {
  /** Validated arguments with defaults applied; a new object for each call. */
  args: Args
  /** The context itself, for handlers written as `execute({ args, context })`. */
  context: HandlerContext<Args>
  clientId: string | null
  /** Whose call it is, as the host gives it to its session. */
  principal: string | null
  ws: any
  geminiSession: any
  mode: string
  session: {
    isActive: boolean
    toolsVersion: string
    mode: string
    sessionId: string | null
    state: Readonly<SessionState>
  }
  capabilities: { messaging: boolean; voice: boolean; audit: boolean }
  /** Rejects with a TRANSIENT error if the client is not connected; a rejection that the handler does not look at ends its call. */
  messaging: { send(message: unknown): Promise<unknown> }
  audit: {
    /** Writes an audit line `tool_log`. Names and values that are sensitive in this call are masked in it. */
    log(event: string, data?: JsonValue): void
  }
  voice: { isActive(): boolean }
  services: Record<string, any>
  /** The tool as it is defined. */
  tool: { readonly id: string; readonly version: string; readonly idempotent: boolean }
  meta: {
    toolId: string
    version: string
    category: string
    callId: string | null
    attempt: number
    /**
     * Stable over attempts and restarts, unique across sessions; pass it to external services, such as a payment API.
     */
    idempotencyKey: string
    /** Epoch milliseconds, or null if the tool has no deadline. */
    deadline: number | null
    clamped: { path: string; from: number; to: number }[]
  }
  /** Aborts on timeout, cancellation and shutdown. */
  signal: AbortSignal
  /** Reports progress to `onProgress` and to the framework that made the call; false if not delivered (over 100 reports or 16 KiB, not JSON, or too late). */
  progress(update: JsonValue): boolean
  /**
   * A token with which `registry.complete` ends this call from any process on the store; the handler then returns
   * {@link pending}. Whoever has the token can end the call. Rejects with a ToolError if the store fails, or 100 results of the
   * session wait for their delivery.
   */
  completionToken(): Promise<string>
  /** Calls another tool through the same gate, see {@link CallTool}. */
  callTool: CallTool
  [service: string]: any
}

export interface HandlerModule {
  execute(context: HandlerContext): unknown
  /**
   * A library's schema of the arguments (Standard Schema). The core has validated them by the JSON Schema; then this schema
   * runs, and `execute` gets its output. By default the `parameters` of a schema module beside the handler.
   */
  parameters?: unknown
  responseSchemaVersion?: string
  /**
   * Finds out what a call of this tool has done whose outcome is not known: it is called before the same call, or an equal one, is
   * answered, and by `registry.reconcile`. It only looks; it has at most ten seconds.
   */
  reconcile?(question: ReconcileQuestion): ReconcileAnswer | Promise<ReconcileAnswer>
}

/** A call whose outcome is not known. */
export interface ReconcileQuestion<Args = any> {
  /** The arguments of the call, as `execute` got them. */
  args: Args
  /** The key that `execute` got as `meta.idempotencyKey`. */
  idempotencyKey: string
  /** When the call was begun, epoch milliseconds. */
  startedAt: number
  /** The services of the session that asks; in `registry.reconcile`, those of the registry. */
  services: Record<string, any>
  /** Aborts after the time that it has, and on shutdown. */
  signal: AbortSignal
}

/**
 * `happened`: the call has taken effect, with the `data` that `execute` would have returned. `not_happened`: it has not, and will
 * not: the call may run again. `unknown`: neither is certain.
 */
export type ReconcileAnswer<Data = unknown> =
  { outcome: 'happened'; data?: Data } | { outcome: 'not_happened' } | { outcome: 'unknown' }
