/** The tools of a registry for MCP clients. Needs `@modelcontextprotocol/sdk` 1, which the host brings along: an optional peer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { SessionOptions, ToolRegistry } from '../../index'

export interface McpServerOptions {
  /**
   * The gate's session of a client, by default in mode `text`. It is made at the client's first call. Without a `sessionId`
   * every client gets one of its own, which ends with it; a session that the host names is only left. Services belong to the
   * registry.
   */
  session?: Omit<Partial<SessionOptions>, 'services'>
  /** How the server calls itself; by default `toolgate`, with the package's version. */
  info?: { name?: string; version?: string; title?: string }
  /** The instructions for the client's model; by default how to read a result. `""` for nothing. */
  instructions?: string
  /**
   * MCP has no turns, and budgets are counted per turn: a call begins one where no other is under way and none has been for this
   * long (default 10 000 ms). `0`: each call its own turn, but for calls at the same time; `Infinity`: one turn for all.
   */
  turnGapMs?: number
  /** How often a client that asks for progress is notified that its call goes on (default 5000 ms). */
  heartbeatMs?: number
}

/**
 * A server for one client, as the SDK has it: `await server.connect(transport)`, `await server.close()`.
 *
 * - `tools/list` has the tools of the session's mode, as they were at the client's first request.
 * - `tools/call` goes through the gate. The text of a result is the whole ToolResponse without confirmation token;
 *   `structuredContent` is its `data`, where the tool has a `resultSchema` with `type: "object"`; `isError` where `ok` is false.
 *   Arguments that do not fit are such a result, an unknown tool is the JSON-RPC error -32602.
 * - A call that needs consent is put to the user (`elicitation/create`); a client that cannot gets an error.
 * - A request that is cancelled, or whose client goes, is cancelled in the session. Progress is counted in seconds.
 *
 * @throws {TypeError} for options that do not exist; an Error with `code: 'MCP_SDK_MISSING'` where the SDK is not installed
 */
export function createMcpServer(registry: ToolRegistry, options?: McpServerOptions): Server

export interface McpHttpOptions extends McpServerOptions {
  /** Names, without port, by which clients may call this server besides `localhost` and addresses: `['tools.example']`. */
  allowedHosts?: string[]
  /** Web pages that may use it besides those of this machine: `['https://app.example']`. Programs send no Origin. */
  allowedOrigins?: string[]
  /** A session without a request or an open stream for this long is closed (default 30 minutes). */
  sessionIdleMs?: number
  /** Sessions that are open at once (default 1000); the next one is refused with 503. */
  maxSessions?: number
  /** Hears what the SDK reports: messages that can't be read, answers without a recipient. */
  onError?(error: Error): void
}

/** Answers requests of any path: routing, authentication and TLS are the host's. */
export interface McpHttpHandler {
  (request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Ends every session. */
  close(): Promise<void>
}

/**
 * Streamable HTTP for `node:http`: each `Mcp-Session-Id` has a server, and a session, of its own. A Host or an Origin that is
 * not allowed is refused with 403. The body must not have been read.
 */
export function createMcpHttpHandler(registry: ToolRegistry, options?: McpHttpOptions): McpHttpHandler
