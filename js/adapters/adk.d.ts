/** Toolgate's tools for the Agent Development Kit (`@google/adk` 2), an optional peer dependency. */
import type { BaseTool } from '@google/adk'
import type { Session, ToolRegistry, ToolResponse } from '../../index'

export interface AdkToolsOptions {
  /** The registry of the tools; by default the session's. */
  registry?: ToolRegistry
  /** Names of the services that this session adds to the registry's: tools that need others are not declared. */
  services?: string[]
  /** Receives each full answer with its confirmation token: for the host, never for the model. */
  onToolResponse?(response: ToolResponse, call: { id: string; name: string }): unknown
  /**
   * Whether the kit asks the user the gate's questions, by confirmation requests. By default true unless
   * `onToolResponse` is given. If false, such a call is answered CONFIRMATION_REQUIRED.
   */
  approvals?: boolean
}

/**
 * The tools that a session may use, for `new LlmAgent({ tools })`.
 *
 * - Arguments are not checked by the kit: invalid arguments give a VALIDATION answer of the gate.
 * - A call that needs consent becomes an `adk_request_confirmation` call, whose hint is the preview, and a pending question of
 *   the session. The response must have its `payload`, which
 *   carries a nonce: `{ confirmed: true, payload }` runs the call that the question showed, once (with `args` beside the nonce as
 *   the user wants it: all arguments); `{ confirmed: false, payload }`
 *   declines it; without the payload, as with `plainTextToolConfirmation`, the user is asked again.
 * - A result is the {@link ToolResponse} without confirmation token.
 * - An aborted run cancels its running calls in the session.
 */
export function toAdkTools(session: Session, options?: AdkToolsOptions): BaseTool[]
