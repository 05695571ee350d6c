/** Checks that a server makes before it answers: its host names, its peers, and who may read its metrics. */

import type { AuditRotation } from 'toolgate'

export * from './health-probes.js'

/**
 * A check of `Host`, or of a proxy's `X-Forwarded-Host`. Known are the names of this machine (`localhost`, `*.localhost`),
 * every IP address, and the given names.
 *
 * @param allowed names without port, such as `app.example`
 * @throws TypeError if an entry is not a host name
 */
export function createHostPolicy(allowed?: readonly string[]): (host: string | null | undefined) => boolean

/** The names in lower case. @throws TypeError if an entry is not a host name without port: no request would have it */
export function checkedHosts(names: readonly string[]): string[]

/**
 * Origins as browsers send them: `https://App.example:443/` is `https://app.example`.
 *
 * @param words what an entry may be besides
 * @throws TypeError if an entry has a path, a user name, `*` or no scheme: no page would have it
 */
export function checkedOrigins(origins: readonly string[], words?: readonly string[]): string[]

/** The name in a `Host` header, in lower case and without port; null if it is malformed. */
export function hostName(host: string | null | undefined): string | null

/** Whether a name, without port, always means this machine. */
export function isLoopbackName(name: string): boolean

/**
 * A set of peer addresses. IPv4 addresses mapped into IPv6 count as themselves.
 *
 * @param entries addresses, subnets such as `10.0.0.0/8`, or `loopback`
 * @throws TypeError if an entry is none of these
 */
export function createAddressSet(entries: readonly string[]): (address: string | null | undefined) => boolean

/** What an error says, whatever was thrown: never throws itself, also for a proxy or a getter that does. */
export function messageOf(error: unknown): string

/** Whether a socket's remote address is this machine. */
export function isLoopbackAddress(address: string | null | undefined): boolean

/**
 * The key (`OPENAI_API_KEY`) and the endpoint (`TOOLGATE_OPENAI_BASE_URL`, or `OPENAI_BASE_URL` beside a key) of OpenAI's
 * protocols; null if neither is set.
 *
 * @throws TypeError if the endpoint or the key can't be used; the message has neither
 */
export function openaiEndpoint(env: Record<string, string | undefined>): {
  /** Null for an endpoint that needs none, such as the simulator's. */
  apiKey: string | null
  /** Undefined: OpenAI's own. */
  baseUrl: string | undefined
} | null

/**
 * The models that the servers and the shipped tools use where no setting names another. A release replaces those whose providers
 * withdraw them.
 */
export const DEFAULT_MODELS: {
  /** Chat Completions with tools. */
  readonly chat: string
  /** Texts and descriptions of frames, without tools. */
  readonly openaiText: string
  readonly geminiText: string
  readonly openaiImages: string
  readonly geminiImages: string
  readonly openaiRealtime: string
  /** Of the user's words in OpenAI Realtime. */
  readonly transcription: string
  readonly gptLive: string
  readonly gptLiveBackend: string
  readonly geminiLive: string
}

/** A model whose provider has withdrawn it, or will within 60 days. */
export interface EndingModel {
  /** The setting that names it; null for a default. */
  setting: string | null
  model: string
  /** The date, such as `2026-12-11`. */
  ends: string
  successor: string
  /** The provider's page. */
  source: string
  hasEnded: boolean
}

/** The models of the settings, and the defaults, that have ended or end soon, as far as this release knows. */
export function endingModels(env: Record<string, string | undefined>, now: number): EndingModel[]

/**
 * The address of a provider as a setting gives it: https, or this machine, or without a key any address of HTTP. Undefined if it is
 * not set.
 *
 * @throws TypeError if it can't be used; the message does not have the address, which may have a password
 */
export function endpointUrl(variable: string, text: string | undefined, apiKey: string | null): string | undefined

/** A provider's key, and another address than the provider's own to which it is sent. */
export interface ProviderAccess {
  apiKey: string
  baseUrl?: string
}

/** What the services of the shipped tools use, for `configuredServices` of `toolgate/tools/_services/configured.js`. */
export interface ToolServiceSettings {
  openai: ProviderAccess | null
  /** `baseUrl` without the version, as Google's SDK takes it. */
  gemini: ProviderAccess | null
  brave: ProviderAccess | null
  /** The model of drafts and of descriptions of frames. */
  model?: string
  searchModel?: string
  imageModel?: string
  knowledgeFile?: string
  calendarFolder?: string
}

/**
 * Reads those settings of the environment.
 *
 * @throws TypeError if a key or an endpoint can't be used; the message has no key
 */
export function toolServiceSettings(env: Record<string, string | undefined>): ToolServiceSettings

/**
 * Answers a request to upgrade with an empty refusal, and closes its connection at once: a peer that keeps its side open
 * holds no descriptor.
 *
 * @param status code and reason, such as `400 Bad Request`
 */
export function refuseUpgrade(socket: import('node:net').Socket, status: string): void

/**
 * Closes the connection of a request whose body has not arrived in time (15 s), with 408 if nothing was answered. For a
 * server that another library created; your own sets `requestTimeout` of Node.
 */
export function setBodyDeadline(
  request: import('node:http').IncomingMessage,
  response: import('node:http').ServerResponse,
  options?: { timeoutMs?: number },
): void

/** Whether the headers, with names in lower case, have one that proxies add: the peer is then not the client. */
export function isForwarded(headers: Record<string, unknown>): boolean

/**
 * Who may read metrics: with a token, requests with `Authorization: Bearer <token>`; without one, direct requests from
 * this machine.
 *
 * @param token at least 16 bytes
 * @throws TypeError if the token is too short
 */
export function createMetricsAccess(token?: string): (asked: {
  authorization?: string | null
  /** The connection's remote address. */
  peer?: string | null
  /** Whether the request has headers of a proxy. */
  forwarded: boolean
}) => boolean

/** What a request hears that may not read the metrics. @param token as of {@link createMetricsAccess} */
export function metricsRefusal(token?: string): string

/** Who makes a request. */
export interface Identity {
  /** The user or program, 1 to 512 bytes. */
  principal: string
  /** Roles for the tools' `requiredRoles`; at most 64. */
  roles?: string[]
  /** In place of the server's limits per principal. */
  limits?: Partial<ClientLimits>
}

/** What one address, or one principal, may use of a server. */
export interface ClientLimits {
  /** On average; a burst may have four times as many. 50 per address, 20 per principal. */
  requestsPerSecond: number
  /** Sessions that are begun; a burst may have as many as a minute. 120 per address, 60 per principal. */
  sessionsPerMinute: number
  /** Connections, or sessions of MCP, that are open at once. 64 per address, 16 per principal. */
  connections: number
  /** Requests that wait for news. 64 per address, 16 per principal. */
  longPolls: number
}

export interface Client {
  /** Null for a program of this machine, which has no limits per address. */
  address: string | null
  principal?: string | null
  /** In place of the limits per principal. */
  limits?: Partial<ClientLimits>
}

/** Counts what clients use. At most 10,000 addresses and principals are kept. */
export function createClientLimits(options?: {
  perAddress?: Partial<ClientLimits>
  perPrincipal?: Partial<ClientLimits>
  /** Milliseconds. */
  now?(): number
}): {
  /** False if the client sends too many requests. */
  takeRequest(client: Client): boolean
  /** False if the client begins too many sessions. */
  takeSession(client: Client): boolean
  /** The function that ends the connection's count; null if the client has too many. */
  openConnection(client: Client): (() => void) | null
  /** The function that ends the wait's count; null if the client has too many. */
  openLongPoll(client: Client): (() => void) | null
}

type Environment = Record<string, string | undefined>

/**
 * Where `TOOLGATE_AUDIT` sends audit lines: `stdout` by default. A file is rotated as `TOOLGATE_AUDIT_ROTATE` says, which is
 * written as `maxBytes=100000000, maxAgeMs=86400000, keep=30` or `off`; by default at 100 MiB or after a day, and 30 files are
 * kept.
 *
 * @throws TypeError if a member is unknown or its number is not valid
 */
export function auditSinkOf(env: Environment): 'none' | 'stdout' | { file: string; rotate?: AuditRotation }

/** `TOOLGATE_ALLOWED_HOSTS`. @throws TypeError if an entry is not a host name */
export function allowedHostsOf(env: Environment): string[] | undefined

/** `TOOLGATE_INSPECTOR_HOSTS`. @throws TypeError if an entry is not a host name */
export function inspectorHostsOf(env: Environment): string[] | undefined

/** `TOOLGATE_ALLOWED_ORIGINS` of the web app. @throws TypeError if an entry is not an origin */
export function webOriginsOf(env: Environment): string[] | undefined

/** `ALLOWED_ORIGINS` of the voice server. @throws TypeError if an entry is neither an origin nor one of {@link VOICE_ORIGIN_WORDS} */
export function voiceOriginsOf(env: Environment): string[] | undefined

/** `localhost`, any page of this machine, and `no-origin`, programs that are no browser. */
export const VOICE_ORIGIN_WORDS: readonly string[]

/**
 * Where spans are sent: `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, else `OTEL_EXPORTER_OTLP_ENDPOINT`; null if neither is set, or spans are
 * switched off by `OTEL_SDK_DISABLED` or `OTEL_TRACES_EXPORTER`.
 *
 * @throws TypeError if one of them is no URL, without its value
 */
export function traceEndpointOf(env: Environment): string | null

/** `TOOLGATE_METRICS_TOKEN`. @throws TypeError if it is too short */
export function metricsTokenOf(env: Environment): string | undefined

/** `TOOLGATE_RESUME_SECRET`. @throws TypeError if it is too short */
export function resumeSecretOf(env: Environment): string | undefined

/** `TOOLGATE_COOKIE_SECRET`. @throws TypeError if it is too short */
export function cookieSecretOf(env: Environment): string | undefined

/** `TOOLGATE_INSPECTOR_SECRET`. @throws TypeError if it is too short */
export function inspectorSecretOf(env: Environment): string | undefined

/**
 * Calls `hear` with each answered call of this process, as a line of JSON: the members of `CallMessage` with `at` and `event:
 * 'call'`. Arguments and answers are masked, and cut beyond 8 KiB each.
 *
 * @returns the function that ends it
 */
export function listenToCalls(hear: (line: string) => void): () => void

/**
 * Appends these lines to the file of `TOOLGATE_INSPECTOR_CALLS`, if it is set; does nothing else. Several processes may share the
 * file, which only its owner can read. At 8 MiB it becomes `<file>.old`, in place of an older one.
 *
 * @param onFailure called once for each row of failures; calls go on
 * @returns the function that ends it
 */
export function keepCalls(env: Environment, onFailure: (error: Error) => void): () => void

/** `TOOLGATE_VOICE_URL`; null if it is absent, or no URL of a socket. */
export function voiceUrlOf(env: Environment): string | null

/** The addresses and subnets of `TOOLGATE_TRUSTED_PROXIES`. @throws TypeError if one of them is neither */
export function trustedProxiesOf(env: Environment): string[] | undefined

/**
 * The limits of `TOOLGATE_ADDRESS_LIMITS` and `TOOLGATE_PRINCIPAL_LIMITS`, which are written as `connections=64,
 * longPolls=16`.
 *
 * @throws TypeError if a limit is unknown or no number from 0
 */
export function clientLimitsOf(env: Record<string, string | undefined>): {
  perAddress?: Partial<ClientLimits>
  perPrincipal?: Partial<ClientLimits>
}

/**
 * The client's address: the connection's, or the one that a trusted proxy reports in `X-Forwarded-For`; of IPv6 the /64
 * network. Null for a program of this machine that asks directly.
 *
 * @param trustedProxies addresses, subnets, or `loopback`
 * @throws TypeError if an entry is invalid
 */
export function createClientAddress(trustedProxies?: readonly string[]): (request: {
  /** Names in lower case. */
  headers: Record<string, unknown>
  socket: { remoteAddress?: string }
}) => string | null

/** A limit of a rate: `perSecond` on average, `burst` at once. `now` in milliseconds. */
export class TokenBucket {
  constructor(options: { perSecond: number; burst: number; now?: () => number })
  /** Takes `amount` (1) tokens. Returns false, and takes none, if fewer are left. */
  take(amount?: number): boolean
}

/** A request as `authenticate` gets it; of a server of Node, the whole `IncomingMessage`. */
export type IdentifiedRequest = Pick<import('node:http').IncomingMessage, 'headers' | 'method' | 'url'> & {
  socket: { remoteAddress?: string }
}

/** The host's function: null if the request has no identity. */
export type Authenticate = (request: IdentifiedRequest) => Identity | null | Promise<Identity | null>

/**
 * Wraps the host's function: the result is checked, and waited for at most `timeoutMs` (3000). The promise is rejected if
 * the result has another shape, comes too late, or `authenticate` throws.
 */
export function createAuthenticator(
  authenticate: Authenticate,
  options?: { timeoutMs?: number },
): (request: IdentifiedRequest) => Promise<Identity | null>

/**
 * Refuses a start in which strangers could use a server by oversight.
 *
 * @throws TypeError if `host` is no loopback address, and there is neither `authenticate` nor `allowAnonymous: true`
 */
export function requireAuthentication(options: {
  host: string
  /** The function, or the setting that names it. */
  authenticate?: Authenticate | string
  allowAnonymous?: boolean
}): void

/** Whether `TOOLGATE_ALLOW_ANONYMOUS` says yes. */
export function allowsAnonymous(env: Record<string, string | undefined>): boolean

/**
 * The export `authenticate` of a module, undefined without a file.
 *
 * @throws TypeError if the module exports no such function
 */
export function loadAuthenticate(file: string | undefined): Promise<Authenticate | undefined>

/** An environment variable. */
export interface Setting {
  name: string
  /** The programs that read it: the voice server, the web app, the command line. */
  readBy: readonly ('voice' | 'web' | 'cli')[]
  /** What it sets, as Markdown. */
  meaning: string
  /** What holds without it, as Markdown. */
  default?: string
  /** Whether the value must not be shown. */
  isSecret?: boolean
  /** Whether it is the path of a file that must be there. */
  isPath?: boolean
}

/** Every environment variable of the servers and of the command line; `docs/configuration.md` is made of it. */
export const SETTINGS: readonly Setting[]

/** The variables named `TOOLGATE_…` that nothing reads and that are similar to one that is read. */
export function misspeltSettings(env: Record<string, string | undefined>): { name: string; meant: string }[]

/** The severity of a line, the most severe first. */
export type LogLevel = 'error' | 'warn' | 'info'

/** A server's own log. Each function adds a line; `fields` are further members of it. */
export type ServerLogger = Record<LogLevel, (message: string, fields?: object) => void>

/** The level of `TOOLGATE_LOG`, `info` without it. Throws a TypeError if it is no level. */
export function logLevelOf(env: Record<string, string | undefined>): LogLevel

/**
 * A log of JSON lines `{ time, level, message, … }`.
 *
 * @param options `level`: less severe lines are left out (default `info`: none); `write` gets each line with its end
 *   (default: to standard error)
 */
export function createLogger(options?: { level?: LogLevel; write?: (line: string) => void }): ServerLogger
