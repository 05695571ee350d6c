/** Toolgate's tools for the OpenAI Agents SDK (`@openai/agents` 0.14 or later), an optional peer dependency. */
import type { FunctionTool, RunState, RunToolApprovalItem } from '@openai/agents'
import type { Session, ToolRegistry, ToolResponse } from '../../index'

export interface AgentToolsOptions {
  /** The registry of the tools; by default the session's. */
  registry?: ToolRegistry
  /** Names of the services that this session adds to the registry's: tools that need others are not declared. */
  services?: string[]
  /** Receives each full answer with its confirmation token: for the host, never for the model. */
  onToolResponse?(response: ToolResponse, call: { id: string; name: string }): unknown
  /**
   * Whether the SDK asks the user the gate's questions, by interruptions. By default true unless `onToolResponse` is
   * given. If false, such a call is answered CONFIRMATION_REQUIRED.
   */
  approvals?: boolean
}

/**
 * The tools that a session may use, for `new Agent({ tools })`.
 *
 * - Arguments reach the gate as the model sent them; invalid arguments give a VALIDATION answer. Arguments that are not JSON
 *   do not reach it: the SDK interrupts the run, without a question of the gate, and runs nothing if they are approved.
 * - A call that needs consent becomes an interruption and a pending question of the session. `state.approve(interruption)`
 *   runs the call that the question showed, once, also after a restart from a serialized state: one that is sent twice gets the
 *   result again, and the run goes on in the session's turn. `alwaysApprove`
 *   becomes a grant of the session, of the widest scope that the tool allows (`confirmation.grantable`), for 100 calls and an
 *   hour. A later call that no grant covers is answered CONFIRMATION_EXPIRED (`details.reason`: `not_granted`).
 * - A result is the JSON text of the {@link ToolResponse} without confirmation token.
 * - An aborted run cancels its running calls in the session.
 */
export function toAgentTools(session: Session, options?: AgentToolsOptions): FunctionTool<any, any, string>[]

/**
 * As `state.reject(interruption)`, and declines the question in the session. Resolves with whether it was pending.
 * `reason` is shown to the model.
 */
export function rejectCall(
  session: Session,
  state: RunState<any, any>,
  interruption: RunToolApprovalItem,
  options?: { reason?: string },
): Promise<boolean>
