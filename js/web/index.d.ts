/** Tools for pages, over web-standard requests and responses: Next.js, Hono, Bun, Deno, or any other server. */
import type { Session, SessionOptions, ToolRegistry } from '../../index'

/** A loaded registry, or a function that loads it. */
export type RegistrySource = ToolRegistry | (() => Promise<ToolRegistry>)

export interface CapabilityUse {
  toolId: string
  callId: string | null
  turn: number
}

export interface ToolRouteOptions {
  /**
   * The session of the request: authenticate here. An error with a type (a `ToolError`) is answered with its status. The
   * attachment is not exclusive unless the options say so.
   */
  session(request: Request): SessionOptions | Promise<SessionOptions>
  /** Runs before each call; an error refuses it. */
  beforeCall?(session: Session, request: Request): unknown
  /** The tool that the request names; by default the last segment of its path. */
  toolOf?(request: Request): string
  /**
   * Host names, without port, that the route answers to, beside those of this machine and every address; requests for others
   * get 403. By default every name: set it where requests reach the route without a check of `Host` before it, such as by a proxy,
   * so that no other site's page can let its own name resolve to this server.
   */
  allowedHosts?: readonly string[]
  /**
   * Origins of pages, besides the server's own, as `https://app.example`; or a check of your own, which throws for a page
   * that is not allowed.
   */
  allowedOrigins?: readonly string[] | ((request: Request) => unknown)
  /** Largest body in bytes (default 1 MiB). */
  maxBodyBytes?: number
  /** Fires once for each call that ran, on its final success; never for a replay. */
  onCapabilityUsed?(use: CapabilityUse, request: Request): void
  /** Receives the errors of `session`, of `beforeCall` and of the gate; a Response that it returns is the answer. */
  onError?(error: unknown, request: Request): Response | void
}

/**
 * A route for all tools that pages call, `POST …/<tool>` with the arguments as JSON body. Each call goes through the gate
 * in the session of its request, in a turn of its own.
 *
 * - The answer is the ToolResponse without confirmation token, with the HTTP status of its error type.
 * - `Idempotency-Key` makes a call repeatable: the same key and arguments get the stored answer, other arguments
 *   CONFLICT (409).
 * - `Retry-After`, `RateLimit-Policy` and `RateLimit` are set if the answer has limits.
 * - Refused before the gate: another method (405), a page of another origin (403), another content type (415), a body
 *   that is too large (413), a wrong key (400); `{ ok: false, error: { type, message, … } }`.
 * - A call without a key is cancelled when its client goes away.
 *
 * @throws TypeError if `session` is missing or an option is unknown
 */
export function createToolRoute(
  registry: RegistrySource,
  options: ToolRouteOptions,
): (request: Request) => Promise<Response>
