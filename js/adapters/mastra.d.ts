/** Toolgate's tools for Mastra (`@mastra/core` 1.68 or later, which requires Node 22.13 or later), an optional peer dependency. */
import type { Tool } from '@mastra/core/tools'
import type { ConfirmationRequest, Session, ToolRegistry, ToolResponse } from '../../index'

/** What a call that needs the user's consent is suspended with (`suspendPayload`). */
export interface MastraConfirmation {
  callId: string
  name: string
  /** Of this confirmation: its reply must carry it. For the host and its user, never for the model. */
  nonce: string
  /** What the user is shown. */
  request: ConfirmationRequest
}

/** What a suspended call is resumed with: `agent.resumeStream(reply, { runId, toolCallId })`. */
export interface MastraConfirmationReply {
  /** Of the {@link MastraConfirmation}. Without it nothing is a reply: Mastra takes `resumeData` out of a model's arguments too. */
  nonce: string
  /** Anything but `true` and `false` suspends the call again. */
  approved: boolean
  /** Why the user declined, for the model. */
  reason?: string
  /** All arguments as the user wants them, instead of those of the request, as `args` of `ConfirmOptions`. */
  args?: Record<string, unknown>
}

export interface MastraToolsOptions {
  /** The registry of the tools; by default the session's. */
  registry?: ToolRegistry
  /** Names of the services that this session adds to the registry's: tools that need others are not declared. */
  services?: string[]
  /** Receives each full answer with its confirmation token: for the host, never for the model. */
  onToolResponse?(response: ToolResponse, call: { id: string; name: string }): unknown
  /**
   * Whether a call that needs consent is suspended until the user's reply, which needs a storage in Mastra. By default true
   * unless `onToolResponse` is given. If false, such a call is answered CONFIRMATION_REQUIRED.
   */
  approvals?: boolean
}

/**
 * The tools that a session may use, for `new Agent({ tools })`.
 *
 * - Arguments are not checked by Mastra: invalid arguments give a VALIDATION answer of the gate.
 * - A call that needs consent is suspended with a {@link MastraConfirmation}, and is a pending question of the session. Resumed
 *   with a {@link MastraConfirmationReply}, it runs once as the question showed it, or is declined.
 * - Equal calls of a message of the model suspend once, and a reply is for the one call whose nonce it has.
 * - Do not use `autoResumeSuspendedTools`: it lets a model reply for its user. Such a reply suspends the call again.
 * - A result is the {@link ToolResponse} without confirmation token.
 * - What a tool reports with `context.progress` is the `output` of a `tool-output` chunk, a `ProgressChunk` (`toolgate/tool-call`).
 * - An aborted run cancels its running calls in the session.
 *
 * @returns the tools by name; the record has no prototype
 */
export function toMastraTools(
  session: Session,
  options?: MastraToolsOptions,
): Record<string, Tool<any, any, any, any, any>>
