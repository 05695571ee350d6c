/** The routes of an agent's page. */
import type { ModelMeta, Session, SessionOptions } from '../../../index'
import type { Authenticate, Identity, createClientLimits } from '../../http/index'
import type { RegistrySource } from '../index'

/** A `UIMessage` of the AI SDK. Its types are not imported: an app may use this module without that package. */
export interface AgentMessage {
  id: string
  role: 'system' | 'user' | 'assistant'
  parts: any[]
  metadata?: unknown
}

/** Options of `streamText` that pass its tool calls through the gate, and the history of the chat. */
export interface AgentTurn {
  /**
   * For `convertToModelMessages(messages, { tools })`: each call in them has its answer. They are what the page says, and grant
   * nothing.
   */
  messages: AgentMessage[]
  /** Those of `toAiSdkTools`. */
  tools: Record<string, any>
  experimental_repairToolCall(options: any): Promise<any>
  /** Ends the loop after 10 steps. */
  stopWhen(state: { steps: readonly unknown[] }): boolean
  /** Aborts when the page stops the answer or goes away, and after `answerMs`. */
  abortSignal: AbortSignal
}

/** Calls `streamText` with these options and the model, and returns its result. An error with a type refuses the message. */
export type AgentAnswer = (
  turn: AgentTurn,
  asked: { session: Session; request: Request; identity: Identity | null; timeZone: string | undefined },
) => AgentStream | Promise<AgentStream>

/** What `streamText` returns. */
export interface AgentStream {
  toUIMessageStream(options: any): ReadableStream<any>
}

export interface AgentRoutesOptions {
  /**
   * Who sends a request, `{ principal, roles }`, or null (401). Gets Node's plain headers, as the voice server's does. Without it, a
   * signed cookie stands for the user.
   */
  authenticate?: Authenticate
  answer: AgentAnswer
  /**
   * Host names, without port, that the routes answer to, beside those of this machine, every address and the hosts of
   * `allowedOrigins`. In production without it: every name, and one line that asks for it.
   */
  allowedHosts?: readonly string[]
  /** Origins of pages, besides the server's own, as `https://app.example`; or a check of your own, which throws. */
  allowedOrigins?: readonly string[] | ((request: Request) => unknown)
  /** More options of the sessions, such as `services` or `toolSearch`. */
  session?(asked: {
    request: Request
    identity: Identity | null
  }): Partial<SessionOptions> | Promise<Partial<SessionOptions>>
  /** What the model gets of each answer, by default `full`. */
  meta?: ModelMeta
  /** The longest time of an answer. Platforms end a request without an error: stop earlier, with a message. */
  answerMs?: number
  /** Largest body of a chat in bytes (default 4 MiB). */
  maxBodyBytes?: number
  /** `createClientLimits` of `toolgate/http`; by default with its own limits. */
  limits?: ReturnType<typeof createClientLimits>
  /** The address of a request's client, for its limits; null if it has none. Default: no address is known. */
  addressOf?(request: Request): string | null
  /** Signs the cookie, if `authenticate` is absent. By default a key that the store keeps. */
  cookieSecret?: string | Uint8Array
  /** Aborts when the server ends: long polls are answered then. By default at a SIGTERM or SIGINT that the process handles, as Next.js does. */
  closing?: AbortSignal
  /** Receives errors; a Response that it returns is the answer. Default: those that are no refusals are written to the console. */
  onError?(error: unknown, request: Request): Response | void | Promise<Response | void>
  /** What the user reads when the model fails in its answer. */
  errorText?(error: unknown): string
}

/** Who sends a request to a route of your own. */
export interface AgentVisitor {
  /** Null without `authenticate`. */
  identity: Identity | null
  /** Runs `act` in the session of a chat. Refuses (401) if there is none yet, unless `resumeOnly` is false. */
  withSession<T>(act: (session: Session) => T | Promise<T>, options?: { id?: string; resumeOnly?: boolean }): Promise<T>
}

export interface AgentRoutes {
  GET(request: Request): Promise<Response>
  POST(request: Request): Promise<Response>
  DELETE(request: Request): Promise<Response>
  /** A route of your own, with the same checks, limits and refusals. */
  respond(request: Request, act: (visitor: AgentVisitor) => Response | Promise<Response>): Promise<Response>
}

/**
 * The routes of an agent's page, for one catch-all route such as `app/api/agent/[...path]/route.ts`: `chat`, `conversation`,
 * `conversations`, `confirmations`, `confirmations/watch`, `grants`, `tools/<tool>` and `calls/cancel`.
 *
 * - The server chooses the session of a chat: an HMAC of its user and the chat's `id`, so that no page names a session. The only one
 *   that a page names is that of a voice call, with its resume token.
 * - Each call is answered: a question is an answer, and the page gets its card with a token. An approval is decided at
 *   `confirmations`, at any later time; the messages of a page grant nothing.
 * - A chat whose last message is the assistant's asks for the model's words about what was decided: each decision is reported once, and
 *   the stream goes on in that message. It is empty if there is nothing to report.
 * - The history that `answer` gets is complete: each call in it has the answer of the gate's records, also after Stop, a reload, a
 *   late approval, a denial, an expiry, or a decision elsewhere. Only looked at are the newest 100 messages, as long as they
 *   have 2,000 parts together.
 * - The conversation is kept by the session: the newest 40 messages, 8 KiB each, with sensitive arguments masked, for as long as an
 *   idle session is kept (`limits.sessionIdleMs`, 24 hours). The cookie is renewed at use, and lives as long. A message whose answer
 *   broke off has `metadata.isCut`.
 * - After a change of the tools, a chat has the new ones from its next message. A question of a tool that has changed expires.
 * - Refused before the gate, with `{ ok: false, error: { type, message, … } }`: another host or origin (403), no identity (401),
 *   another content type (415), a body over 4 MiB or a message of more than 2,000 parts (413), another shape (400), too many requests (429).
 *
 * @throws TypeError if `answer` is missing or an option is unknown
 */
export function createAgentRoutes(registry: RegistrySource, options: AgentRoutesOptions): AgentRoutes
