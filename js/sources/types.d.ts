// Types that the modules of this folder share. They are not part of the public API.

import type { JsonObject } from '../shared-types.js'

/** A program that speaks MCP on its standard streams. */
export interface StdioSettings {
  command: string
  args?: string[]
  env?: Record<string, string>
  cwd?: string
}

/** A server that is reached by HTTP. */
export interface HttpSettings {
  url: string
  headers?: Record<string, string>
}

export interface SourceLimits {
  messageBytes: number
  listBytes: number
  tools: number
  pages: number
  unaskedPerSecond: number
  stderrBytes: number
  calls: number
  connections: number
  connectMs: number
  idleMs: number
}

/** `sources/<name>.json` with its defaults. Variables are not expanded. */
export interface SourceConfig {
  transport: StdioSettings | HttpSettings
  shared: boolean
  /** Undefined: the source's name and `_`. */
  prefix?: string
  reads: string[]
  elicitation: 'ask' | 'decline'
  sampling: boolean
  roots: boolean
  limits: SourceLimits
  /** Policies by published name; `false` leaves the tool out. */
  tools: Record<string, JsonObject | false>
}

/** A fault of a configuration file. */
export interface SourceProblem {
  file: string
  /** JSON Pointer of the value, empty for the file. */
  pointer: string
  message: string
}

export type Variables = Record<string, string | undefined>

/** `legacy`: before 2026-07-28. */
export type Era = 'legacy' | 'modern'

/** A tool as the server publishes it, with all members. */
export type PublishedTool = JsonObject & { name: string }

export interface LockedTool {
  /** SHA-256 of the canonical JSON (RFC 8785) of the definition, in hexadecimal digits. */
  sha256: string
  definition?: PublishedTool
}

/** What the lock says of a source. */
export interface LockedSource {
  era?: Era
  protocolVersion?: string
  tools: Record<string, LockedTool>
}

export type DriftReason = 'definition_changed' | 'definition_gone'

/** What a server says of itself. */
export interface ServerFacts {
  era: Era
  protocolVersion: string
  serverInfo?: JsonObject
  capabilities: JsonObject
  instructions?: string
}

/** A `CallToolResult`, or an `InputRequiredResult` of 2026-07-28, as the server sent it. */
export type CallResult = JsonObject

/** The answer to an elicitation. */
export interface QuestionAnswer {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, string | number | boolean | string[]>
}

/** A question that may be put to a user. */
export interface ServerQuestion {
  message: string
  /** An object of primitive fields, and of choices. */
  requestedSchema: { type: 'object'; properties: Record<string, JsonObject>; required: string[] }
}

export type ClientMethod = 'sampling/createMessage' | 'roots/list'

/** What an MCP client answers in place of its user: a completion of its model, or its folders. */
export interface ClientRequest {
  method: ClientMethod
  params?: JsonObject
}

/** The arguments of `server_question`. */
export interface ServerQuestionArgs {
  /** Keeps equal questions apart. */
  id: string
  source: string
  /** What the user reads. */
  text: string
  /** Why the last answer could not be used. */
  unfit?: string
  requests: Record<string, ServerQuestion | ClientRequest>
  /** The answers, by name of the request: the fields of a form, or the client's result. */
  content: Record<string, JsonObject>
}

/** `data` of its answer. `unfit`: why the user's answer does not fit; they are asked again. */
export type ServerQuestionAnswer =
  { content: Record<string, JsonObject>; unfit?: undefined } | { content?: undefined; unfit: string }

export type QuestionHandler = (params: JsonObject) => QuestionAnswer | Promise<QuestionAnswer>

/** Lists of a server that MCP clients get, besides its tools. */
export type ForwardedList = 'prompts' | 'resources'

/** What a server says without being asked. `sessions`: who hears it. */
export type SourceNews =
  { list: ForwardedList } | { updated: string; sessions: string[] } | { log: JsonObject; sessions: string[] }

/** Undefined if the client does not answer it. */
export type ClientRequestHandler = (method: ClientMethod, params: JsonObject) => Promise<JsonObject | undefined>

/** The MCP client of a session, for what a server sends beside results. */
export interface SourceClient {
  /** Whether it has sent this call; null for one of a handler. */
  owns(callId: string | null): boolean
  /** What the protocol calls so. */
  capabilities: JsonObject
  /** The least severe messages that it wants. Undefined: those that the server sends. */
  logLevel?: string
  /** A message of a server for the log. `callId`: of the call that it ran alone. */
  log(source: string, params: JsonObject, callId?: string | null): void
  /** Its folders, which some servers ask for when they connect. Not of a client of 2026-07-28, which is asked by results only. */
  roots?(): Promise<JsonObject>
  /** A resource has changed that the session has subscribed to. */
  updated(uri: string): void
}

export interface Progress {
  progress: number
  total?: number
  message?: string
}

export interface RequestOptions {
  signal: AbortSignal
  onprogress?: (progress: Progress) => void
  /** `_meta` of the request. */
  meta?: JsonObject
  /** What the server shall log meanwhile. */
  logLevel?: string
  /** What the client can do for a server of 2026-07-28, in place of what the source's settings offer. */
  capabilities?: JsonObject
  /** Answers to an `InputRequiredResult`, and its `requestState`. */
  round?: { inputResponses?: JsonObject; requestState?: string }
}

export interface SourceCallOptions {
  sessionId: string
  principal?: string
  signal: AbortSignal
  /** Whether the tool writes: a lost answer is then an unknown outcome. */
  writes: boolean
  meta?: JsonObject
  progress?: (progress: Progress) => void
  /** Answers a question that the server asks while the call is the only one on its connection. */
  onQuestion?: QuestionHandler
  onClientRequest?: ClientRequestHandler
  /** A message for the log, while the call is the only one on its connection. */
  onLog?: (params: JsonObject) => void
  logLevel?: string
  capabilities?: JsonObject
  round?: RequestOptions['round']
}

/** A request that is no call: it has no policy, and is answered or fails as the server says. */
export type ForwardOptions = Omit<SourceCallOptions, 'writes' | 'meta' | 'round' | 'sessionId'> & {
  /** Undefined: of no session. */
  sessionId?: string
}

export type TokenProvider = (
  source: string,
  principal: string | undefined,
) => string | null | undefined | Promise<string | null | undefined>

/** A message for the host's log. `stderr`: text that the program wrote. */
export interface SourceLogEntry {
  source: string
  error?: string
  stderr?: string
}

export type SourceLog = (entry: SourceLogEntry) => void

/** A transport of the SDK that can say why it closed. */
export type BoundedTransport = import('@modelcontextprotocol/client').Transport & {
  /** The bound that the server broke. */
  readonly fault: string | undefined
}
