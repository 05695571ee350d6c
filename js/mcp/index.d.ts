/** The tools of a registry for MCP clients. Needs `@modelcontextprotocol/server` 2, an optional peer dependency. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from '@modelcontextprotocol/server'
import type { ModelMeta, SessionOptions, ToolRegistry } from '../../index'
import type { Authenticate, ClientLimits } from '../http/index'

export interface McpServerOptions {
  /**
   * Options of a client's session, by default `{ mode: 'text' }`. The session is created at the client's first call, or the first
   * request that a source answers.
   * Without a `sessionId` every client has its own session, which ends with the client; with one, the client only
   * detaches from the session. Over HTTP, requests of the revision 2026-07-28 belong to no connection: those of a principal
   * share a session, and a request without a principal has its own. Services are options of the registry.
   */
  session?: Omit<Partial<SessionOptions>, 'services'>
  /** The server's name and version; by default `toolgate`, with the package's version. */
  info?: { name?: string; version?: string; title?: string }
  /** The instructions for the client's model; by default how to read a result. `""` for none. */
  instructions?: string
  /** The session's `turnPauseMs`: MCP has no turns, so a pause between calls begins one. */
  turnGapMs?: number
  /** What the client's model gets of each answer, by default `lean`. */
  meta?: ModelMeta
  /** Interval of progress notifications to a client that asks for progress (default 5000 ms). */
  heartbeatMs?: number
  /**
   * Where users are asked about a call that needs consent:
   * - `client` (the default): by the client. Without elicitation the call is answered CONFIRMATION_REQUIRED.
   * - `elsewhere`: never by the client, so neither it nor its model can give the answer. The question stays open for the host's page, a
   *   link (`onConfirmation`, `registry.confirmationLink`) or any process on the store, also one of a handler's call. The call waits.
   * - `client-or-elsewhere`: by a client with elicitation, and elsewhere for the others.
   */
  consent?: 'client' | 'elsewhere' | 'client-or-elsewhere'
  /**
   * How long a call waits for an answer elsewhere (default 50,000 ms, because many clients give up after a minute). Then it is answered
   * that it is pending, and the same call made again joins it.
   */
  consentWaitMs?: number
  /** Where the user answers, such as `on the page Approvals`, for the model to say. It reads this: nothing in it may confirm a call. */
  consentPlace?: string
}

/**
 * A server for one client, as the SDK has it: `await server.connect(transport)`, `await server.close()`. For clients of
 * the revision 2026-07-28 too, give it to the SDK's entry: `serveStdio(() => createMcpServer(registry))`.
 *
 * - `tools/list` has the tools of the session's mode. The client is notified when they change.
 * - `tools/call` goes through the gate. The first text of a result is the ToolResponse as `toModelResponse` gives it;
 *   `structuredContent` is its `data` if the tool has a `resultSchema` with `type: "object"`; `isError` is set if `ok`
 *   is false. Invalid arguments give such a result; an unknown tool is the JSON-RPC error -32602.
 * - For a call that needs consent the user is asked: by `elicitation/create`, and in 2026-07-28 by a result
 *   (`input_required`) whose `requestState` any process on the store can read. Without elicitation the result is an error,
 *   unless `consent` says that users are asked elsewhere.
 * - What sources offer beside tools is served too: resources, prompts, completion and messages for the log. The server's
 *   capabilities are those that a source of the loaded tool set has.
 * - The call of a cancelled request, or of a disconnected client, is cancelled. Progress is counted in seconds, or as reports
 *   with a `total` say.
 *
 * @throws {TypeError} for unknown options; an Error with `code: 'MCP_SDK_MISSING'` if the SDK is not installed
 */
export function createMcpServer(registry: ToolRegistry, options?: McpServerOptions): Server

export interface McpHttpOptions extends McpServerOptions {
  /**
   * Who makes a request: its sessions get the principal and the roles, and belong to that principal alone. `null` is refused
   * with 401; a rejection, or no answer within 3 s, with 500. `limits`: in place of `clientLimits.perPrincipal`.
   * Without it, every client that reaches the server is taken.
   */
  authenticate?: Authenticate
  /** Where clients get the tokens that `authenticate` checks. The host must route `/.well-known/oauth-protected-resource` here too. */
  authorization?: McpAuthorization
  /**
   * What one client may use; further requests are refused with 429. A connection is an open session, or a request of
   * 2026-07-28 that is not answered.
   */
  clientLimits?: { perAddress?: Partial<ClientLimits>; perPrincipal?: Partial<ClientLimits> }
  /** Addresses, subnets or `loopback`, whose `X-Forwarded-For` says who the client is. */
  trustedProxies?: string[]
  /** Host names, without port, of this server besides `localhost` and IP addresses: `['tools.example']`. */
  allowedHosts?: string[]
  /** Allowed origins of web pages besides this machine's: `['https://app.example']`. Programs send no Origin. */
  allowedOrigins?: string[]
  /** A session without a request or an open stream for this long is closed (default 30 minutes). */
  sessionIdleMs?: number
  /** The most open sessions and requests of 2026-07-28 (default 1000); further ones are refused with 503. */
  maxSessions?: number
  /** Receives the SDK's errors: unreadable messages, answers without a recipient. */
  onError?(error: Error): void
}

/** The metadata of a protected resource (RFC 9728), which a refused request (401) names in `WWW-Authenticate`. */
export interface McpAuthorization {
  /** Issuers of tokens: URLs with https. */
  servers: string[]
  /** The scopes that a client asks for. */
  scopes?: string[]
  /** This server's URL, the audience of its tokens; by default the `Host` and the path of the request, with https. */
  resource?: string
}

/** Answers requests of any path: routing and TLS are up to the host. */
export interface McpHttpHandler {
  (request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Ends every session. */
  close(): Promise<void>
}

/**
 * Streamable HTTP for `node:http`, for every revision of the protocol from 2024-11-05 to 2026-07-28. Up to 2025-11-25 each
 * `Mcp-Session-Id` has its own server and session. A Host or an Origin that is not allowed is refused with 403, a body of
 * more than 4 MiB with 413. The request's body must not have been read.
 */
export function createMcpHttpHandler(registry: ToolRegistry, options?: McpHttpOptions): McpHttpHandler
