/** Toolgate's tools for the AI SDK (`ai` 6.0.202 or later, 7.0.45 or later), an optional peer dependency. */
import type { Tool, ToolCallRepairFunction } from 'ai'
import type { ConfirmationRequest, ModelMeta, Session, ToolRegistry, ToolResponse } from '../../index'

/** A tool whose calls go through the gate: it accepts any input, and its output is always a full ToolResponse. */
export type GateTool = Tool<any, ToolResponse>

export interface AiSdkToolsOptions {
  /** The registry of the tools; by default the session's. */
  registry?: ToolRegistry
  /** Names of the services that this session adds to the registry's: tools that need others are not declared. */
  services?: string[]
  /**
   * Receives each full answer with its confirmation token. It is for the host and its user; the model gets the answer
   * without the token. Its errors become process warnings and affect no call.
   */
  onToolResponse?(response: ToolResponse, call: { id: string; name: string }): unknown
  /**
   * Whether the AI SDK asks the user the gate's questions, by approval requests, which stop the loop and are answered
   * in the messages of the next request. By default true unless `onToolResponse` is given. If false, such a call is
   * answered CONFIRMATION_REQUIRED, and the model continues.
   */
  approvals?: boolean
  /**
   * Whether what a tool reports with `context.progress` is given as preliminary results: answers with `data: { status: 'running',
   * callId, progress }` and `meta.pending`. By default false, because the AI SDK then gives each result as a preliminary one too.
   */
  progress?: boolean
  /** What the model gets of each answer, by default `lean`; the output of a tool is the full {@link ToolResponse}. */
  meta?: ModelMeta
}

/**
 * The tools that a session may use, by name, for `streamText({ tools })` and `generateText({ tools })`.
 *
 * - Arguments reach the gate as the model sent them; invalid arguments give a VALIDATION answer.
 * - The output of every tool is the full {@link ToolResponse} without confirmation token; the model gets its lean form. A
 *   failed one is passed to the model as an error result (`@ai-sdk/openai` 4 puts it into `{ error }`).
 * - A call that needs consent becomes an approval request, and a pending question of the session. An approval runs the
 *   call that the question showed; a forged approval, without a question or for another call, runs nothing.
 *   Equal calls of a step become one approval request, and a second call with the id of another one is refused.
 *   An equal call for a later message of the user is asked about again.
 * - An aborted request cancels its running calls in the session.
 *
 * With `toolSearch: 'provider'`, tools are deferred for OpenAI Responses and Anthropic. Add the provider's search tool:
 * `openai.tools.toolSearch()` or `anthropic.tools.toolSearchBm25_20251119()`.
 *
 * The record has no prototype. Add other tools with `Object.assign(toAiSdkTools(session), own)`.
 */
export function toAiSdkTools(session: Session, options?: AiSdkToolsOptions): Record<string, GateTool>

/**
 * For `prepareStep`, with a session whose `toolSearch` is `gate`: each step declares the tools that are declared from the
 * start, those found so far, and tools of `tools` that are the host's own.
 */
export function prepareFoundTools<Tools extends Record<string, Tool>>(
  session: Session,
  tools: Tools,
): () => { activeTools: Extract<keyof Tools, string>[] }

/**
 * Declines the questions that the user declined in these messages (UI or model messages); resolves with the number of
 * questions that were pending. Call it with a request's messages before `streamText`: the AI SDK passes only approvals
 * to a tool. A call of any of the tools does the same.
 */
export function denyDeclined(session: Session, messages: readonly unknown[]): Promise<number>

/**
 * For `experimental_repairToolCall`: passes calls with broken JSON, or of an unknown tool, to the gate, which answers
 * them (VALIDATION, NOT_FOUND, MODE_RESTRICTED) and audits them. Without it the AI SDK answers such calls itself.
 */
export const repairToolCall: ToolCallRepairFunction<any>

/**
 * For `toolApproval` of the AI SDK 7, beside `tools`: the approval request of a call has the gate's question, its preview, as
 * its `reason`, so that a page can show the user what is asked. The deprecated `needsApproval` of the tools is then not called. Without
 * it, and in the AI SDK 6, the request has no reason: the preview is in `session.listPending()`. Tools of the host that are not the
 * gate's keep their own settings.
 */
export function toolApproval(
  tools: Record<string, Tool>,
): Record<
  string,
  (
    input: unknown,
    options: { toolCallId: string; messages: readonly unknown[] },
  ) => Promise<undefined | { type: 'user-approval'; reason?: string }>
>

/** What {@link approvalDescriptors} adds: the gate's question, without its token. */
export type ApprovalDescriptor = Pick<ConfirmationRequest, 'tool' | 'args' | 'preview' | 'expires'>

/**
 * For the UI message stream of the AI SDK 7: `result.toUIMessageStream().pipeThrough(approvalDescriptors(session))`. Each approval
 * request gets an {@link ApprovalDescriptor}, which a page finds in `part.approval.descriptor`. The AI SDK 6 refuses such a request.
 */
export function approvalDescriptors<Chunk>(session: Session): TransformStream<Chunk, Chunk>
