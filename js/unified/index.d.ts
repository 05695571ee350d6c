/** The gate for code bases whose tools return `{ success, data?, error? }`. */
import type { HandlerResult, SessionOptions, ToolRegistry, ToolResponse } from '../../index'

/**
 * The result of a call. `error` is text for the model: `Invalid tool arguments: …`, `Tool <name> timed out`,
 * `Tool execution failed`, `Invalid tool response format`, `Tool execution failed without error message`, or the message
 * of the failure. If a call needs confirmation, `error` is the preview, and `data.confirmation_request` the question
 * without its token.
 */
export type ToolResult<T = any> = { success: true; data?: T } | { success: false; error: string; data?: any }

/** The record of a call, as version 7 of such code bases stores it. `durationMs`: from the call's arrival to its answer. */
export type ToolRecord<T = any> = { id: string; name: string; durationMs: number } & ToolResult<T>

/** A voice connection: its members reach the handler's context. */
export interface UnifiedConnection {
  ws?: any
  geminiSession?: any
}

/** The caller of a tool. Options of the session (`principal`, `roles`, `services`, listeners) are passed on to it. */
export interface UnifiedContext extends Pick<
  SessionOptions,
  'principal' | 'roles' | 'services' | 'messaging' | 'onCapabilityUsed' | 'onToolCall' | 'onProgress'
> {
  /**
   * The gate's session, by default `anonymous`, which all such callers share: its confirmations and rate limits too. It
   * is created by its first call; idle sessions expire.
   */
  sessionId?: string
  /** The voice connection: its calls have the mode `voice`, all others `text`. `context.clientId` of the handler. */
  connectionId?: string
  /** The chat agent; the service `agent` of the handler's context. */
  agent?: any
  /** Voice connections by id; the service `activeSessions` of the handler's context. */
  activeSessions?: ReadonlyMap<string, UnifiedConnection> | Record<string, UnifiedConnection>
  /** The provider's id of the call: the same call again gets the stored result. Without one every call runs. */
  callId?: string
  /** The turn that the call belongs to, for budgets and loops. Without one each call is a turn. */
  turnId?: string
  /** Cancels the call. */
  signal?: AbortSignal
}

/** A registry, by default the process-wide `toolRegistry`, and the base of each call's context. */
export interface UnifiedOptions extends UnifiedContext {
  registry?: ToolRegistry
}

export interface UnifiedTools {
  /**
   * Runs one call through the session that the context names. Loads the registry if needed.
   *
   * A failed call is a result, never a rejection: also of a session that belongs to another principal or has ended.
   */
  executeUnifiedTool<T = any>(toolName: string, args: unknown, context?: UnifiedContext): Promise<ToolResult<T>>
  /** Checks arguments without running anything. @throws if a registry of your own is not loaded; the process-wide one reads its tools */
  validateToolArgs(toolName: string, args: unknown): { valid: boolean; error?: string }
  /**
   * Tools of the AI SDK by name, to spread into an agent's tools: `{ ...getChatToolDefinitions(sessionId) }`. Make them
   * for each request: their calls are one turn. Each call resolves with a {@link ToolResult}.
   *
   * @throws if a registry of your own is not loaded; the process-wide one reads its tools
   */
  getChatToolDefinitions(sessionId?: string, context?: Omit<UnifiedContext, 'sessionId'>): Record<string, any>
}

/** The functions over a registry of your own. */
export function createUnifiedTools(options?: UnifiedOptions): UnifiedTools

export const executeUnifiedTool: UnifiedTools['executeUnifiedTool']
export const validateToolArgs: UnifiedTools['validateToolArgs']
export const getChatToolDefinitions: UnifiedTools['getChatToolDefinitions']

/** Converts an answer of the gate, or what a handler returns. The confirmation token is left out. */
export function toToolResult<T = any>(response: ToolResponse<T> | HandlerResult<T>): ToolResult<T>

/**
 * Converts the result of such a tool: what a handler returns. A failure is PERMANENT, with its `data` as `details`; what
 * is no such result is INTERNAL.
 */
export function fromToolResult<T = any>(result: ToolResult<T> | unknown): HandlerResult<T> & { intents: [] }

/** The answer to a realtime model. */
export function toLiveAnswer<T = any>(
  name: string,
  response: ToolResponse<T>,
): { name: string; response: ToolResult<T> }

export function toToolRecord<T = any>(call: { id: string; name: string }, response: ToolResponse<T>): ToolRecord<T>
