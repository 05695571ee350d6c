/** Toolgate's tools for LiveKit Agents (`@livekit/agents` 1.5 or later), an optional peer dependency. */
import type { llm } from '@livekit/agents'
import type { Session } from '../../index'
import type { CallQuestion, ConfirmReply, ToolCallOptions } from './tool-call'

export interface LiveKitToolsOptions extends ToolCallOptions {
  /** `llm.tool` of the `@livekit/agents` that the agent is made with. */
  tool: typeof llm.tool
  /** Names of the services that this session adds to the registry's: tools that need others are not declared. */
  services?: string[]
  /**
   * Asks the user about a call that needs consent, such as by an RPC to the room's participant; the agent goes on meanwhile.
   * Without it, such a call is answered CONFIRMATION_REQUIRED and is a pending question of the session.
   */
  confirm?(question: CallQuestion): ConfirmReply | Promise<ConfirmReply>
}

/**
 * The tools that a session may use, for `new voice.Agent({ tools })`.
 *
 * - Arguments are not checked by LiveKit: invalid arguments give a VALIDATION answer of the gate. Arguments that are not JSON
 *   are repaired by LiveKit before a tool gets them, and it has no setting against it: a call whose text was cut can arrive with
 *   a part of its arguments. Let what must not run with a part of its arguments require all of them, or a confirmation.
 * - A result is the {@link ToolResponse} without confirmation token.
 * - A call that LiveKit cancels is cancelled in the session.
 */
export function toLiveKitTools(session: Session, options: LiveKitToolsOptions): llm.FunctionTool<any, any, any>[]
