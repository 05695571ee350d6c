/** MCP servers whose tools a registry has, and what else they offer MCP clients: see docs/sources.md. */

import type { JsonValue } from './responses'

/** A program that speaks MCP on its standard streams, or a server that is reached by HTTP. `${NAME}` stands for a variable of the environment. */
export type SourceTransport =
  | { command: string; args?: string[]; env?: Record<string, string>; cwd?: string }
  | { url: string; headers?: Record<string, string> }

/** The content of `sources/<name>.json`. */
export interface SourceSettings {
  transport: SourceTransport
  /** One connection for all sessions (default false: each session has its own). */
  shared?: boolean
  /** Stands before the names of its tools and prompts (default: the source's name and `_`). `""` also leaves the URIs of resources. */
  prefix?: string
  /** Tools that only read, by name or by a pattern with `*`. Any other is a write that its user confirms. */
  reads?: string[]
  /** What becomes of the server's questions (default `ask`). */
  elicitation?: 'ask' | 'decline'
  /** Whether the server may ask MCP clients for completions of their models (default false). */
  sampling?: boolean
  /** Whether the server may ask MCP clients for their folders (default false). */
  roots?: boolean
  limits?: Partial<Record<SourceLimit, number>>
  /** Fields of `schema.json` for a tool by its published name; `false` leaves it out. */
  tools?: Record<string, Record<string, JsonValue> | false>
}

/** What a server may send, and how it is used; docs/sources.md has the defaults. */
export type SourceLimit =
  | 'messageBytes'
  | 'listBytes'
  | 'tools'
  | 'pages'
  | 'unaskedPerSecond'
  | 'stderrBytes'
  | 'calls'
  | 'connections'
  | 'connectMs'
  | 'idleMs'

/** The options of a registry whose tool set has tools of sources. */
export interface RegistrySourceOptions {
  /**
   * How the sources of the tool set are reached: the folder of `sources/<name>.json`, or their settings by name. Default: the
   * folder of the project that the process runs in.
   */
  sources?: string | URL | Record<string, SourceSettings>
  /**
   * The bearer token with which a source with a URL is called for a session's principal (`undefined` if it has none). Without
   * a token the call is answered with AUTH.
   */
  tokens?(source: string, principal: string | undefined): string | null | undefined | Promise<string | null | undefined>
}

/** What is known of a source's server. */
export interface SourceStatus {
  name: string
  /** `idle`: no connection is open; `down`: the last one failed, and is tried again at the next call. */
  state: 'idle' | 'connected' | 'down'
  /** The ids of its tools. */
  tools: string[]
  /** The tools that can't be called, because the server publishes something else than what was locked. */
  unavailable: Record<string, 'definition_changed' | 'definition_gone'>
}

/** Where a tool runs that has no handler here. */
export interface ToolOrigin {
  /** The source's name. */
  name: string
  /** The tool's name at the server. */
  tool: string
  /** The name under which MCP clients see it. */
  publishedAs: string
  /** The revision of the protocol that the server spoke when it was locked. */
  protocolVersion: string
  /** What the server offered beside tools when it was locked; MCP clients get it. */
  offers?: ('completions' | 'logging' | 'prompts' | 'resources')[]
  /** SHA-256 of the definition as published, in its canonical form (RFC 8785), in hex. */
  sha256: string
}
