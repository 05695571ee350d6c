/** Toolgate's tools for LangChain and LangGraph (`@langchain/core` 1.1.48 or later and
 * `@langchain/langgraph` 1.4.1 or later), optional peer dependencies. */
import type { DynamicStructuredTool } from '@langchain/core/tools'
import type { ConfirmationRequest, Session, ToolRegistry, ToolResponse } from '../../index'

/** What a graph is interrupted with, if a call needs the user's consent. */
export interface ConfirmationInterrupt {
  type: 'toolgate_confirmation'
  callId: string
  name: string
  /** Of this confirmation: a reply that carries it is for no other one. For the host and its user, never for the model. */
  nonce: string
  /** What the user is shown. */
  request: ConfirmationRequest
}

/** What the graph is resumed with: `new Command({ resume: { callId, nonce, approved } })`. */
export interface ConfirmationReply {
  /** Of the interrupt. A reply for another call runs nothing. */
  callId: string
  /** Of the interrupt. Without it, the reply is for the confirmation of this call that is pending. */
  nonce?: string
  approved: boolean
  reason?: string
  /** All arguments as the user wants them, instead of those of the request, as `args` of `ConfirmOptions`. */
  args?: Record<string, unknown>
}

export interface LangChainToolsOptions {
  /** The registry of the tools; by default the session's. */
  registry?: ToolRegistry
  /** Names of the services that this session adds to the registry's: tools that need others are not declared. */
  services?: string[]
  /**
   * `interrupt` of `@langchain/langgraph`: a call that needs consent interrupts the graph, which needs a checkpointer.
   * Without it, such a call is answered CONFIRMATION_REQUIRED.
   */
  interrupt?(value: ConfirmationInterrupt): any
  /** Receives each full answer with its confirmation token: for the host, never for the model. */
  onToolResponse?(response: ToolResponse, call: { id: string; name: string }): unknown
}

/**
 * The tools that a session may use, for `createAgent({ tools })`, `ToolNode` and `bindTools`.
 *
 * - Arguments are not checked by LangChain: invalid arguments give a VALIDATION answer of the gate.
 * - A result is a `ToolMessage` whose content is the JSON text of the {@link ToolResponse} without confirmation token; its
 *   `artifact` is the same as an object; its status is `error` if the call failed.
 * - Equal calls of a step interrupt the graph once: the others are answered that the user is being asked.
 * - A node that is repeated (after an interrupt, a retry, a crash) runs nothing twice: a call with the id of a recorded one
 *   gets the recorded answer. A write without an id, or with one that repeats, is known by its node's task: equal writes
 *   of one run of a node are one call.
 * - What a tool reports with `context.progress` is a `ProgressChunk` (`toolgate/tool-call`) in the graph's stream of the mode `custom`.
 * - An aborted run cancels its running calls in the session.
 */
export function toLangChainTools(session: Session, options?: LangChainToolsOptions): DynamicStructuredTool[]
