/** Toolgate's tools for the AI SDK (`ai` 6.0.202 or later, 7.0.45 or later), an optional peer dependency. */
import type { Tool, ToolCallRepairFunction, UIMessage } from 'ai'
import type { ModelMeta, Session, SessionOptions, ToolRegistry, ToolResponse } from '../../index'
import type { RegistrySource } from '../web/index.js'

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
 * its `reason`, so that a page can show the user what is asked. Without it, and in the AI SDK 6, the request has no reason:
 * the preview is in `session.listPending()`. Tools of the host that are not the gate's keep their own settings.
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

/** The member that {@link confirmationMetadata} adds to the metadata of a message: the previews by the ids of the approval requests. */
export interface ConfirmationMetadata {
  confirmations: Record<string, string>
}

/**
 * For `messageMetadata` of `toUIMessageStreamResponse`, with the tools that `streamText` got: each approval request of the message has
 * its preview in `message.metadata.confirmations`, by its id. It works with the AI SDK 6 and 7.
 */
export function confirmationMetadata(
  tools: Record<string, Tool>,
): (event: { part: { type: string } }) => ConfirmationMetadata | undefined

/** Options of `streamText` that pass its tool calls through the gate, and the messages of the page. */
export interface ChatStreamOptions {
  /** For `convertToModelMessages`. They are what the page says, and grant nothing. */
  messages: UIMessage[]
  tools: Record<string, GateTool>
  experimental_repairToolCall: ToolCallRepairFunction<any>
  /** Ends the loop after 10 steps. */
  stopWhen(state: { steps: readonly unknown[] }): boolean
  /** Aborts when the client goes away. */
  abortSignal: AbortSignal
}

/** What `streamText` returns. */
export interface ChatStream {
  toUIMessageStreamResponse(options: any): Response
}

export interface ChatRouteOptions {
  /**
   * The session of the request: authenticate here. An error with a type (a `ToolError`) is answered with its status. The session's id
   * is that of the chat, and its mode `text`, unless the options say otherwise.
   */
  session(request: Request): Partial<SessionOptions> | Promise<Partial<SessionOptions>>
  /**
   * Calls `streamText` with these options and the model. A response of its own is sent unchanged: then pass `messageMetadata` to
   * `toUIMessageStreamResponse`.
   */
  stream(
    options: ChatStreamOptions,
    turn: { session: Session; request: Request; messageMetadata: ReturnType<typeof confirmationMetadata> },
  ): ChatStream | Response | Promise<ChatStream | Response>
  /** As in `createToolRoute` of `toolgate/web`; by default every name. */
  allowedHosts?: readonly string[]
  /** Origins of pages, besides the server's own, as `https://app.example`. */
  allowedOrigins?: readonly string[]
  /** Largest body in bytes (default 4 MiB). */
  maxBodyBytes?: number
}

/**
 * The route of a chat page with `useChat`: `POST` with `{ id, messages }`, answered with a UI message stream. All requests of a chat share a
 * session, which is detached after each answer.
 *
 * - A call that needs a confirmation becomes an approval request, with its preview in `message.metadata.confirmations`. An approval in the
 *   messages runs the call that was shown, once; a declined one is denied.
 * - Refused with `{ ok: false, error: { type, message, … } }`: another method (405), a page of another origin (403), another
 *   content type (415), a body that is too large (413) or is not a chat (400), and errors of `session` that have a type. Other errors
 *   reject, so that the server logs them.
 * - In development, a chat whose session began before a reload of the tool set continues in a new session.
 *
 * @throws TypeError if `session` or `stream` is missing or an option is unknown
 */
export function createChatRoute(
  registry: RegistrySource,
  options: ChatRouteOptions,
): (request: Request) => Promise<Response>
