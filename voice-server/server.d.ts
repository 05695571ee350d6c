/** Voice calls between browsers and a speech model, whose tool calls pass the gate. README.md has the frames of a page. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AuditSink, ModelMeta, RegistryOptions, Session, StoreChoice, ToolRegistry } from 'toolgate'
import type { Authenticate, ClientLimits } from 'toolgate/http'

export type * from './frames.js'

export type ProviderName = 'gemini' | 'openai' | 'gptLive'

/** How the socket of a provider is opened. */
export interface ProviderSocket {
  /** May be left out if `url` or `headers` say who asks. A simulator takes any value. */
  apiKey?: string
  /** Of a simulator or a proxy; the path of the protocol is added to it. */
  baseUrl?: string | null
  /** The whole address of the socket (`wss:`), with its query, in place of the provider's: such as a deployment of another cloud. */
  url?: string
  /** Sent when the socket is opened, beside those of the provider; a header of the same name replaces that. */
  headers?: Record<string, string>
  /** Default: `DEFAULT_MODELS` of `toolgate/http`. */
  model?: string
}

export interface GeminiOptions extends ProviderSocket {
  /** `vertex` takes `project` and `location`, or `apiKey` in express mode. Default `developer`. */
  surface?: 'developer' | 'vertex'
  project?: string
  location?: string
  /** Of Vertex AI: where the SDK finds credentials. Default: the machine's own. */
  googleAuthOptions?: object
  /** Further members of the SDK's LiveConnectConfig, such as `speechConfig`. */
  config?: object
}

export interface OpenAIOptions extends ProviderSocket {
  /** `baseUrl` ends with the API version. Further members of the `session` of `session.update`, such as `audio.output.voice`. */
  config?: object
}

export interface GptLiveOptions extends ProviderSocket {
  /** Of the Responses backend, which works for the model unless `delegate` does. */
  backendModel?: string
  /** Further members of the `session` of `session.start`. */
  config?: object
}

/** `message` is for people; `fields` are added to the line. */
export type Log = (message: string, fields?: object) => void

export interface Logger {
  info: Log
  warn: Log
  error: Log
}

/** A host's voice for questions: PCM16, 24 kHz, mono. */
export type ReadAloud = (text: string, options: { signal: AbortSignal }) => Promise<Buffer> | Buffer

/** What the host's agent gets of work that the model hands to it. */
export interface DelegatedWork {
  id: string
  /** What the user asked for: their words since the work before, or what they typed. */
  transcript: string
  /** What both sides have said last, the words of the transcript included. */
  conversation: { role: 'user' | 'assistant'; text: string }[]
  /** The session: the user sees the calls that are made through it, and is asked their questions. */
  session: Session
  /** Aborted when the work takes too long, and when the user leaves. */
  signal: AbortSignal
}

/** What is to be said about it: a text, or what is said and what the model only knows; nothing: that it is done. */
export type DelegatedAnswer = string | { commentary?: string; thinking?: string } | null | undefined | void

export type Delegate = (work: DelegatedWork) => Promise<DelegatedAnswer> | DelegatedAnswer

/** What the user hears while the connection to a silent model is restored, and while the model waits for a tool. */
export interface Lines {
  /** A sentence that the client speaks, a sound (PCM16, 24 kHz, mono), or nothing. */
  reconnecting?: string | Buffer | false
  thinking?: string | Buffer | false
}

/** README.md has the meaning and the default of each. */
export type VoiceLimit =
  | 'maxFrameBytes'
  | 'framesPerSecond'
  | 'audioBytesPerSecond'
  | 'maxConnections'
  | 'startTimeoutMs'
  | 'connectTimeoutMs'
  | 'farewellTimeoutMs'
  | 'heartbeatMs'
  | 'audioAheadMs'
  | 'maxUnreadBytes'
  | 'inputBacklogMs'
  | 'idleMs'
  | 'durationMs'
  | 'reconnectBacklogMs'
  | 'providerPingMs'
  | 'answerSilenceMs'
  | 'thinkingMs'
  | 'thinkingRepeatMs'
  | 'bargeInSpeechMs'
  | 'answerRetryMs'
  | 'delegationsPerSecond'
  | 'delegationSettleMs'
  | 'delegationTimeoutMs'
  | 'pendingPollMs'

export interface VoiceEngineOptions {
  /**
   * The host's registry, or a function that gives it, such as `sharedRegistry` of `toolgate/web`. It is loaded if it is not, and `close`
   * leaves it open. A registry without `strayErrors: 'report'` is warned about: an error of one tool then ends all calls. Without it
   * the server creates one of its own, which it closes.
   */
  registry?: ToolRegistry | (() => Promise<ToolRegistry>)
  /** Of the server's own registry: the path of a `tool_registry.json`. Default: that of the project, else the shipped tools. */
  artifact?: string
  /** Of the server's own registry: the sources of its tools. Default: the folder `sources` of the project. */
  sources?: RegistryOptions['sources']
  /** Of the server's own registry. Default `stdout`. */
  audit?: AuditSink
  /** Of the server's own registry. Default `memory`. */
  store?: StoreChoice
  /**
   * For the tools, beside those of the registry. Default: none with the host's `registry`; with the server's own, those of the shipped
   * tools.
   */
  services?: Record<string, object>
  /** Required if several have settings. */
  provider?: ProviderName
  gemini?: GeminiOptions
  openai?: OpenAIOptions
  gptLive?: GptLiveOptions
  /** Works for the model of `gptLive`; its answer is spoken. */
  delegate?: Delegate
  /**
   * Asks questions in a voice of the host: with `gptLive` all of them, else one whose words the model keeps changing. Default: the model
   * says them.
   */
  readAloud?: ReadAloud
  /**
   * Whether a spoken yes can confirm: `true` for all languages that are known, or those of a list (`en`, `de`, `fr`, `es`, `it`). Default
   * false. A transcript does not prove what was said: allow it for actions that can be undone.
   */
  spokenConsent?: boolean | { languages: string[] }
  /**
   * Who connects, from the request's cookies or headers: `{ principal, roles?, limits? }`, or null, which is answered with 401. A
   * resume token is valid for its principal only. The model is declared the tools that the roles allow.
   */
  authenticate?: Authenticate
  /** Required without `authenticate`: whoever reaches the server may use its tools, each as a new user. */
  allowAnonymous?: boolean
  /**
   * Pages that may connect: exact origins, `localhost` for any page of this machine, `no-origin` for programs that are no browser.
   * Default: `['localhost', 'no-origin']`.
   */
  allowedOrigins?: string[]
  /**
   * Host names, without port, that the server answers to, beside those of this machine, every address, and the hosts of
   * `allowedOrigins`.
   */
  allowedHosts?: string[]
  /** Addresses, subnets or `loopback`, whose `X-Forwarded-For` says who the client is. */
  trustedProxies?: string[]
  /** What one client may use. Programs of this machine that connect directly have no limits per address. */
  clientLimits?: { perAddress?: Partial<ClientLimits>; perPrincipal?: Partial<ClientLimits> }
  /** Bearer token of `/metrics`, at least 16 bytes. Without it `/metrics` answers direct requests of this machine. */
  metricsToken?: string
  /** Signs resume tokens, at least 16 bytes: the same on all servers and restarts. Default: a new one for each start. */
  resumeSecret?: string | Buffer
  /** See the table in README.md. */
  limits?: Partial<Record<VoiceLimit, number>>
  /**
   * What the model gets of each answer, a refusal too: the `full` ToolResponse, or the `lean` one, without the bookkeeping (`toModelResponse`).
   * Default `full`.
   */
  meta?: ModelMeta
  /** What the user hears while the model is silent. Default: a soft sound. */
  lines?: Lines
  /** Default: JSON lines on stderr. */
  logger?: Logger
}

export interface VoiceServerOptions extends VoiceEngineOptions {
  /** Default 0: a free port. */
  port?: number
  /** The address that is listened on. Default `127.0.0.1`. It says nothing of who may connect: `authenticate` does. */
  host?: string
}

interface VoiceCalls {
  /** Uses a store that has lost its data, as `acceptStore` of the registry does. */
  acceptStore(): Promise<void>
  /**
   * The model of the session's call says the text once neither side speaks.
   *
   * @returns false if this server has no call of the session
   */
  say(sessionId: string, text: string): boolean
}

/** Voice calls behind a server of the host's. The methods need no `this`. */
export interface VoiceEngine extends VoiceCalls {
  /**
   * Takes over the socket of an upgrade request, or refuses it (401, 403, 429, 503): for `server.on('upgrade', …)`. Which path is the
   * call's, the host decides.
   */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>
  /**
   * Answers `/healthz`, `/readyz` and `/metrics`.
   *
   * @returns false for every other path: the answer is then the host's
   */
  handleRequest(request: IncomingMessage, response: ServerResponse): boolean
  /**
   * Notifies the clients, closes the provider's connections, and resolves once the clients' sockets are closed. Upgrades are answered
   * with 503 from now on. The HTTP server and the host's registry stay open.
   */
  close(): Promise<void>
}

/** A server that listens by itself. */
export interface VoiceServer extends VoiceCalls {
  /** The address for clients, such as `ws://127.0.0.1:8788/voice`. */
  readonly url: string
  readonly port: number
  /** Notifies the clients, closes the provider's connections, and resolves when the port is free. */
  close(): Promise<void>
}

/**
 * Voice calls for an HTTP server of the host's.
 *
 * @throws TypeError if an option is invalid, or neither `authenticate` nor `allowAnonymous` is given
 */
export function createVoiceServer(options: VoiceEngineOptions & { noServer: true }): Promise<VoiceEngine>

/**
 * Starts a voice server.
 *
 * @throws TypeError if an option is invalid, or neither `authenticate` nor `allowAnonymous` is given
 */
export function createVoiceServer(options: VoiceServerOptions & { noServer?: false }): Promise<VoiceServer>
