// The options of `createSession`, and the session of a call without one.

import type { ModePolicy } from './modes'
import type { ToolSearch, Toolsets } from './providers'
import type { JsonValue } from './responses'
import type { NestedConfirmation, ProgressNews } from './running'
import type { StateController } from './state'

/** Messages to a client; `send` throws a TRANSIENT ToolError if its socket is closed. */
export interface Messaging {
  send(message: unknown): unknown
}

export interface SessionOptions {
  /** Servers create one of 128 random bits. It identifies the session; it is not a credential. */
  sessionId?: string
  /** The owner of the session; another principal's resume is refused (AUTH). */
  principal?: string | null
  /**
   * A secret that a client must present to resume the session, in addition to being its principal: for clients without an
   * identity, and to distinguish the clients of one user. The store keeps a digest. A session that was begun with a token can
   * only be resumed with it, and one that was begun without a token only without (AUTH).
   */
  resumeToken?: string | null
  /** The policy profile of this attachment; never inferred. */
  mode: string
  state?: Record<string, JsonValue>
  roles?: string[]
  services?: Record<string, any>
  messaging?: Messaging | ((message: unknown) => unknown)
  policy?: ModePolicy
  /** Supersede an older attachment of this mode; by default true in voice and webcam, false elsewhere. */
  exclusive?: boolean
  /**
   * For a host that never calls `beginTurn`: a call begins a turn if no other call is in flight and the last one was
   * answered this many milliseconds ago (default 10 000). `0`: a turn for each call, except concurrent calls; `Infinity`:
   * one turn for all.
   */
  turnPauseMs?: number
  /** IANA name of the user's time zone: times of a preview are shown in it. An unknown one is ignored. */
  timeZone?: string | null
  /**
   * Whether this attachment can ask its user (default true). If not, a duplicate about which the user would be asked is
   * refused.
   */
  canAsk?: boolean
  /**
   * `writes`: the result of a write that is not idempotent is held for this attachment, which makes the call or confirms it, from the
   * call's start until it has accepted it (`session.heldResult(callId)?.accept()`), also where the call is answered directly. If
   * the attachment leaves, or its process dies, before, `session.results()` offers the result to another one. Accept each: at
   * most 100 results wait per session, and a further call is not held. A call without an id is not held either.
   */
  holdResults?: 'writes'
  /** Attach to an existing session only; if there is none, `createSession` is rejected with SESSION_INACTIVE. */
  resumeOnly?: boolean
  clientId?: string | null
  ws?: any
  geminiSession?: any
  /**
   * Asks the user about a handler's call that waits for the answer (`callTool` with `confirmation: 'wait'`): by `confirm` or
   * `deny` with its token, here or elsewhere.
   */
  onNestedConfirmation?(asked: NestedConfirmation): void
  /** Receives `context.progress(update)` of this session's handlers, until their calls are answered. */
  onProgress?(news: ProgressNews): void
  /** Fires once per call that ran, on its final success, also if its caller was cancelled meanwhile. */
  onCapabilityUsed?(use: { toolId: string; callId: string | null; turn: number }): void
  /** Fires for every call, failed or not, also for nested calls. */
  onToolCall?(call: { name: string; args: unknown; id: string | null }): void
  /** Who finds the tools that `session.declared` leaves out or defers (default `off`: none are). */
  toolSearch?: ToolSearch
  /** The earlier name of `toolSearch`. */
  toolsets?: Toolsets
  /**
   * With `toolSearch: 'gate'`, receives the ids of tools that a search has found for the first time, before the search
   * is answered: `declared` contains them now. For connections whose tools are updated, such as OpenAI Realtime.
   */
  onToolsFound?(toolIds: string[]): void
}

/** The session of `executeTool`, as its host keeps it: what the handler's `context.session` shows. */
export interface HostSession {
  isActive?: boolean
  mode?: string
  toolsVersion?: string
  /** What the handler's `context.session.sessionId` is; only a call with the same id can use a question's token. */
  sessionId?: string
  roles?: string[]
  /** A plain state, or a controller of `createStateController`. */
  state?: StateController | Record<string, any>
}
