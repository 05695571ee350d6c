/** Toolgate's tools for the AI SDK (`ai` 6 and 7), which the host brings along: an optional peer. */
import type { Tool, ToolCallRepairFunction } from 'ai'
import type { Session, ToolRegistry, ToolResponse } from '../../index'

/** A tool whose every call goes through the gate: any input is taken, and the output is always a whole ToolResponse. */
export type GateTool = Tool<any, ToolResponse>

export interface AiSdkToolsOptions {
  /** Where the tools are declared; by default the process-wide registry. */
  registry?: ToolRegistry
  /** Names of the services that this session adds to the registry's: tools that need others are not declared. */
  services?: string[]
  /**
   * Gets each answer whole, confirmation token included. It is for the host and its user; the model gets the answer
   * without the token. What it throws becomes a process warning and harms no call.
   */
  onToolResponse?(response: ToolResponse, call: { id: string; name: string }): unknown
  /**
   * Whether the AI SDK asks the user what the gate wants to know: by its approval requests, which stop the loop and are
   * answered in the messages of the next request. By default true, but where `onToolResponse` takes the gate's questions to
   * the user itself: then such a call is answered CONFIRMATION_REQUIRED, and the model goes on.
   */
  approvals?: boolean
}

/**
 * The tools that a session may use, by name, for `streamText({ tools })` and `generateText({ tools })`.
 *
 * - Arguments reach the gate as the model sent them; a bad one comes back as a VALIDATION answer.
 * - The output of every tool is the full {@link ToolResponse} without confirmation token; a failed one is given to the
 *   model as an error result (`@ai-sdk/openai` 4 puts it into `{ error }`).
 * - A call that needs its user's consent becomes an approval request, and a question that waits in the session. An approval
 *   runs what that question showed; a conversation that claims one without a question, or for another call, runs nothing.
 * - An aborted request cancels its running calls in the session.
 *
 * The record has no prototype. Add tools of your own with `Object.assign(toAiSdkTools(session), own)`.
 */
export function toAiSdkTools(session: Session, options?: AiSdkToolsOptions): Record<string, GateTool>

/**
 * Denies the questions that these messages (UI or model messages) decline; returns how many waited. Call it with a request's
 * messages before `streamText`: the AI SDK passes only approvals to a tool. The tools do it too, once one of them is called.
 */
export function denyDeclined(session: Session, messages: readonly unknown[]): Promise<number>

/**
 * For `experimental_repairToolCall`: brings calls with broken JSON, or of an unknown tool, to the gate, which answers
 * them (VALIDATION, NOT_FOUND, MODE_RESTRICTED) and audits them. Without it the AI SDK answers such calls itself.
 */
export const repairToolCall: ToolCallRepairFunction<any>
