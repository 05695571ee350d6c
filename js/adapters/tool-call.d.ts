/** Toolgate's tools for a framework without an adapter of its own. */
import type {
  ConfirmationRequest,
  JsonValue,
  ModelMeta,
  Session,
  ToolCall,
  ToolRegistry,
  ToolResponse,
} from '../../index'

/** A tool as models take it: `parameters` is a JSON Schema. */
export interface ToolDeclaration {
  name: string
  description: string
  parameters: object
}

/** A tool call of a framework. */
export interface FrameworkCall {
  /** Of the model's call: a repeated id runs nothing twice. If it is missing or empty, a new one. */
  id?: string
  name: string
  /** An object, or JSON text. */
  args?: ToolCall['args']
  /** The user's message that the call belongs to; see {@link ToolCall}. */
  message?: ToolCall['message']
  /** Its abort cancels the call. */
  signal?: AbortSignal
  /** Receives what the tool reports with `context.progress` until the call is answered. It needs an `id`. Its error ends the reports, and becomes a process warning. */
  onProgress?(update: JsonValue): unknown
}

/** The progress of a call in the stream of a framework. */
export interface ProgressChunk {
  type: 'toolgate_progress'
  callId: string
  name: string
  /** What the tool reported with `context.progress`. */
  update: JsonValue
}

/** What the user is asked. */
export interface CallQuestion {
  callId: string
  name: string
  /** What the user is shown, without the token. */
  request: ConfirmationRequest
}

/**
 * The user's answer. `reason` is shown to the model; `args`: all arguments as the user wants them, instead of those of the request,
 * as `args` of `ConfirmOptions`.
 */
export type ConfirmReply =
  boolean | { approved: boolean; reason?: string; args?: Record<string, unknown> } | null | undefined

export interface ToolCallOptions {
  /** The registry of the tools; by default the session's. */
  registry?: ToolRegistry
  /**
   * Asks the user about a call that needs consent. `true` runs the call that the question showed, once; `false` declines
   * it; anything else leaves the question pending, and the answer is CONFIRMATION_REQUIRED, as without `confirm`. Its
   * error rejects the call: nothing runs, and the question stays pending. Equal calls ask once: those that come while the user is
   * being asked share the reply, and the call runs once.
   */
  confirm?(question: CallQuestion): ConfirmReply | Promise<ConfirmReply>
  /** Receives each full answer with its confirmation token: for the host, never for the model. */
  onToolResponse?(response: ToolResponse, call: { id: string; name: string }): unknown
  /** What the answer holds beside data and error, by default `lean`. */
  meta?: ModelMeta
}

/**
 * The function that makes a framework's tool calls through a session. It resolves with the answer for the model, without
 * confirmation token; invalid arguments give a VALIDATION answer, an aborted call is cancelled in the session.
 */
export function wrapToolCall(
  session: Session,
  options?: ToolCallOptions,
): (call: FrameworkCall) => Promise<ToolResponse>

/**
 * The tools that a session may use. `services`: names of the services that this session adds to the registry's; tools that
 * need others are left out.
 */
export function toolDeclarations(
  session: Session,
  options?: { registry?: ToolRegistry; services?: string[] },
): ToolDeclaration[]
