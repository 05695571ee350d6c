/** Toolgate's tools for Genkit (`genkit` 1.20 or later), an optional peer dependency. */
import type { ToolAction } from 'genkit'
import type { ConfirmationRequest, Session, ToolRegistry, ToolResponse } from '../../index'

/** What a call that needs the user's consent is interrupted with (`interrupt.metadata.interrupt`). */
export interface GenkitConfirmation {
  /** Of the call in the session; Genkit hands a tool no id of the model's. */
  callId: string
  name: string
  /** Of this confirmation; a restart of the interrupt carries it. For the host and its user, never for the model. */
  nonce: string
  /** What the user is shown. */
  request: ConfirmationRequest
}

/** What an interrupted call is restarted with: `tool.restart(interrupt, reply)`. */
export interface GenkitConfirmationReply {
  /** Anything but `true` and `false` leaves the question pending; the answer is CONFIRMATION_REQUIRED. */
  approved: boolean
  /** Why the user declined, for the model. */
  reason?: string
  /** All arguments as the user wants them, instead of those of the request, as `args` of `ConfirmOptions`. */
  args?: Record<string, unknown>
}

export interface GenkitToolsOptions {
  /** The registry of the tools; by default the session's. */
  registry?: ToolRegistry
  /** Names of the services that this session adds to the registry's: tools that need others are not declared. */
  services?: string[]
  /** Receives each full answer with its confirmation token: for the host, never for the model. */
  onToolResponse?(response: ToolResponse, call: { id: string; name: string }): unknown
  /**
   * Whether a call that needs consent is interrupted until the user's reply, which Genkit has in `genkit/beta`. By default
   * true unless `onToolResponse` is given. If false, such a call is answered CONFIRMATION_REQUIRED.
   */
  approvals?: boolean
  /** Its abort cancels the running calls. Genkit does not hand its own `abortSignal` to tools. */
  signal?: AbortSignal
}

/**
 * The tools that a session may use, for `ai.generate({ tools })`. Make them for each `generate`: Genkit reports a tool that it
 * is given again as an error in its log.
 *
 * - Arguments are not checked by Genkit: invalid arguments give a VALIDATION answer of the gate.
 * - A call that needs consent is interrupted with a {@link GenkitConfirmation}, and is a pending question of the session.
 *   Restarted with a {@link GenkitConfirmationReply}, it runs once as the question showed it, or is declined.
 * - Genkit hands tools no call ids: equal calls within a turn of the session are one call, and one confirmation.
 * - A result is the {@link ToolResponse} without confirmation token.
 * - Genkit writes arguments and results to its own traces, sensitive ones included.
 */
export function toGenkitTools(session: Session, options?: GenkitToolsOptions): ToolAction[]
