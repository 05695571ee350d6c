/**
 * Toolgate: the gate that every tool call of an LLM agent passes through.
 * A call goes in as `{ id, name, args }` and comes out as exactly one {@link ToolResponse}. Invalid calls and failing
 * handlers are answered with an error; they never reject these promises. Only misuse of this API throws.
 *
 * Durations are milliseconds (`...Ms`, `duration`); instants are ISO 8601 text, or epoch milliseconds if documented so.
 */

import type {
  HandlerResult,
  Intent,
  ReconcileReport,
  ShownArguments,
  ToolResponse,
  ValidationIssue,
} from './types/responses'
import type { AuditSink } from './types/audit'
import type { BackgroundWork } from './types/background'
import type { CallOutcome, ConfirmationLinks, ConfirmationOptions, PendingConfirmation } from './types/confirmations'
import type { ProviderName, ToolSearch, Toolsets } from './types/providers'
import type { AnswerOptions, CallerOptions, ConfirmOptions, DecisionOptions, Grant } from './types/caller-options'
import type { HostSession, Messaging, SessionOptions } from './types/session-options'
export type {
  AnswerOptions,
  Approver,
  CallerOptions,
  ConfirmOptions,
  DecisionOptions,
  Grant,
  NewGrant,
} from './types/caller-options'
export type { HostSession, Messaging, SessionOptions } from './types/session-options'
import type { RegistrySourceOptions, SourceStatus } from './types/sources'
export type { RegistrySourceOptions, SourceSettings, SourceStatus, ToolOrigin } from './types/sources'
import type { StoreChoice } from './types/store'
import type { CoreWarning, RegistryHealth } from './types/health'
import type { ContextLimits, Metrics, SessionUsage } from './types/metrics'
import type { ModePolicy } from './types/modes'
import type { RepairSetting } from './types/repair'
export type { ContextLimits, LatencyHistogram, Metrics, SessionUsage, ToolCounters } from './types/metrics'
import type { SessionState, StateController } from './types/state'
import type { CallOf, ResponseOf, ToolTypes } from './types/typed-tools'
import type { ToolMetadata } from './types/tool-metadata'
import type { HandlerContext, HandlerModule } from './types/handler-context'
import type { ProgressNews, RunningLimits, StrayErrors } from './types/running'

/** A tool call as a provider sent it. */
export interface ToolCall {
  /** The provider's call id, if any. Short or renumbered ids are not trusted as idempotency keys. */
  id?: string | null
  name: string
  /**
   * The arguments: the provider's unchanged JSON text, as a string or as UTF-8 bytes (a `Buffer`), or an object.
   * `""`, `null` and absent mean `{}`.
   */
  args?: string | Uint8Array | Record<string, unknown> | null
  /**
   * The user's message that the call belongs to, or the agent's run: the first call with an id begins a turn, unless the
   * host calls `beginTurn`. `byContent`: the id is made of the message's content, so that after a pause of ten seconds an
   * equal id stands for another message. Without `message`, such a pause begins a turn.
   */
  message?: { id: string; byContent?: boolean } | null
}

export interface RegistryOptions extends ConfirmationOptions, RegistrySourceOptions {
  /**
   * The compiled tool set. By default the project's own: `tool_registry.json` in the folder that `toolgate.out` of
   * package.json names, else in the nearest folder `tools` from the working directory upwards.
   */
  artifact?: string | URL
  /** Handlers by toolId, instead of importing each tool's `handlerPath`. */
  handlers?: Record<string, HandlerModule | HandlerModule['execute']>
  /** Host services for every session; a session may add its own. */
  services?: Record<string, any>
  /** By mode. `total`, and names in parentheses, are rows of metrics: no mode can have them. */
  modes?: Record<string, ModePolicy>
  audit?: AuditSink
  limits?: {
    /** Largest arguments in bytes of JSON text (default 1 MiB). */
    maxArgsBytes?: number
    /**
     * Largest result of a handler in bytes of JSON text (default 16 MiB). A larger one is not serialized: the answer is
     * INTERNAL. What the model gets of a result is limited by the mode and `resultLimitBytes`.
     */
    maxResultBytes?: number
    /**
     * Bytes of full results that `toUiResponse` shows where the model got a shortened one, of all sessions (default 64 MiB; 0:
     * none). The oldest are dropped first. Content blocks of sources, for MCP clients, have as many again.
     */
    fullResultBytes?: number
    /**
     * Sessions kept in memory (default 10 000); the longest idle one is dropped first. One with an open question, a grant, an owed
     * result or a running call stays; if all do, a new one is refused.
     */
    maxSessions?: number
    /**
     * Idle time after which a session is dropped (default 24 h). What is open in it keeps it for longer: a question or a grant
     * until it expires, a completion token until the call's deadline, a result for `owedResultMs`, an act
     * and a call that counts for its principal for their `windowMs`.
     */
    sessionIdleMs?: number
    /** How long the result of a background call that no attachment has taken is kept (default 7 days). Then it is `result_dropped`. */
    owedResultMs?: number
  } & RunningLimits &
    ContextLimits
  /** The session store (default `memory`). */
  store?: StoreChoice
  environment?: 'development' | 'production'
  /**
   * Receives errors without a type that handlers throw, and errors of listeners, sinks and `watch`; by default they go
   * to `console.error` outside production. `toolId` is absent if the error is not a handler's.
   */
  onHandlerError?(error: unknown, call: { toolId?: string; sessionId?: string | null }): void
  /**
   * Receives the core's warnings of the whole process, such as a store that fails; without it a warning is one JSON line on
   * standard error. None has arguments or results; one place warns once in five seconds (`suppressed` counts the others).
   */
  onLog?(warning: CoreWarning): void
  strayErrors?: StrayErrors
  /**
   * Whether a `null` that the schema of an optional argument rejects means absent. By default for a tool once
   * `getProviderSchemas` has given its strict declaration; true: for all tools, if another process sends them; false: never.
   */
  strictNulls?: boolean
  /**
   * By which rules arguments that are nearly right are repaired instead of refused (default true: all); `meta.repaired` says
   * what was. `false`: none; a list: these. A mode and a tool can only take rules away.
   */
  repair?: RepairSetting
}

/** The context of `executeTool`. */
export interface ExecutionContext extends Partial<Omit<HandlerContext, 'session'>> {
  session?: HostSession
  confirmationToken?: string
}

/** `Tools`: the types of the tool set, see {@link ToolTypes}. */
export class ToolRegistry<Tools extends ToolTypes = any> implements ConfirmationLinks {
  constructor(options?: RegistryOptions)
  /**
   * Reads the artifact, checks every schema, imports the handlers; validators are built when first needed. Idempotent:
   * a second call waits for the first.
   */
  load(options?: RegistryOptions): Promise<this>
  /** As given to it: what becomes of an error of a handler that nothing awaits. */
  readonly strayErrors: StrayErrors
  getVersion(): string
  getGitCommit(): string | null
  readonly tools: ReadonlyMap<string, ToolMetadata>
  /**
   * Tool declarations in a provider's form, `openai` if none is named. Throws a TypeError for an unknown provider, with the
   * forms of the family that it names (`gemini`), or a similar name. Tools that need
   * roles other than `roles` (default: none) are left out. `toolSearch` (default `off`) leaves out or defers most tools;
   * throws a TypeError if the provider or the tool set has no search for it.
   */
  getProviderSchemas(
    provider?: ProviderName | (string & {}),
    options?: { mode?: string; services?: string[]; roles?: string[]; toolSearch?: ToolSearch; toolsets?: Toolsets },
  ): any[]
  /** `**id** (category): summary`, a blank line between tools. */
  getSummaries(options?: { mode?: string; services?: string[]; roles?: string[] }): string
  /** The tools that are hidden because the registry has not the services that they require. */
  hidden(): { toolId: string; missingServices: string[] }[]
  getDocumentation(toolId: string): string | null
  getToolMetadata(toolId: string): ToolMetadata | null
  getToolsByCategory(category: string): ToolMetadata[]
  /**
   * Arguments as a model with the strict declaration sends them: completed and checked, without a call. A `null` for an
   * optional argument that takes none means that it is absent.
   */
  validateArgs(toolId: string, args: ToolCall['args']): { valid: boolean; errors: ValidationIssue[]; args?: any }
  /**
   * Validates, runs and normalizes one call without budgets. With `mode`, `session` or `confirmationToken` the mode of
   * the call (`mode`, `session.mode`, or the mode of `session.state`) allows and clamps as it does in a session. A tool
   * that needs confirmation answers CONFIRMATION_REQUIRED with its `confirmation_request`; the same call with the
   * request's token as `confirmationToken` runs once.
   */
  executeTool(toolId: string, executionContext?: ExecutionContext): Promise<ToolResponse>
  /** What is known of the MCP servers whose tools the set has. */
  sources(): SourceStatus[]
  /** Counters since the start: tool → mode → counters. Calls of unknown tools count as `(unknown)`. */
  getMetrics(): Metrics
  /** Asks the store and the audit sink; `ok` is false before `load()`. */
  health(): Promise<RegistryHealth>
  /**
   * Ends a call that its handler left with {@link pending}, from any process on the store. `response`: what the handler would
   * return, or an Error that it would throw. `ended`: the call had ended before; `unknown`: no call has this token. Intents of
   * the response are dropped. Rejects with a ToolError if the store fails.
   */
  complete(token: string, response: unknown): Promise<'completed' | 'ended' | 'unknown'>
  /**
   * Has the tools find out what their calls of unknown outcome have done, in all sessions on the store: those that were begun
   * `olderThanMs` ago or before (default one minute), the oldest first, at most `limit` (default 100, at most 1000). It reaches
   * calls whose arguments the store keeps: none that are sensitive or over 16 KiB. Rejects with a ToolError if the store fails.
   */
  reconcile(options?: { olderThanMs?: number; limit?: number }): Promise<ReconcileReport>
  /**
   * Uses the store as it is, after it has lost its data and `health()` reported it: calls that it forgot may run again,
   * and its sessions begin anew. Throws a RegistryLoadError (`STORE_REFUSED`) if the store can't be used for another
   * reason.
   */
  acceptStore(): Promise<void>
  createSession(options: SessionOptions): Promise<Session<Tools>>
  /** A URL by which a confirmation is answered elsewhere; see {@link ConfirmationLinks.confirmationLink}. */
  confirmationLink: ConfirmationLinks['confirmationLink']
  /** Forbids reloads: the current version stays. */
  lock(): void
  /** Needs `lock()` first. */
  snapshot(): {
    version: string
    gitCommit: string | null
    tools: { toolId: string; version: string; category: string }[]
  }
  /** Reads the artifact again. A session continues with its own tool set until its turn ends, and has the new one from its next turn. */
  reload(): Promise<this>
  /** For development: reloads when the artifact changes. Returns a function that stops watching. */
  watch(listener?: (version: string) => void): () => void
  /** Stops admission, waits for running calls up to `timeoutMs` (default 5000), aborts the rest, flushes the audit. */
  close(options?: { timeoutMs?: number }): Promise<void>
}

/**
 * Metrics as OpenMetrics text, for a server's `/metrics`. The text ends with `# EOF`; families of the host's own come before
 * it. With the health of the registry (`await registry.health()`) it says whether the store can be used, and how many audit lines are lost.
 */
export function prometheusText(metrics: Metrics, health?: RegistryHealth): string
/** The `content-type` of that text. */
export const PROMETHEUS_TYPE: string

/** The process-wide registry of the project's tool set; if there is none, of {@link shippedTools}, as one log line says. */
export const toolRegistry: ToolRegistry

/**
 * Path of the tool set of the package `toolgate-tools`: `createRegistry({ artifact: shippedTools })`. If it is not
 * installed, `load()` throws RegistryLoadError with the command that installs it.
 */
export const shippedTools: string
/**
 * A registry of its own. With the types of the tool set, `execute` checks the arguments of a call and types its data:
 * `createRegistry<{ args: ToolArgs; data: ToolData }>()`, from the `tool_registry.d.ts` of the build.
 */
export function createRegistry<Tools extends ToolTypes = any>(options?: RegistryOptions): ToolRegistry<Tools>

/** One attachment to a session: a connection or a request, in one mode. */
export class Session<Tools extends ToolTypes = any> implements BackgroundWork {
  readonly sessionId: string
  readonly mode: string
  /** The attachment's turn, from 1. */
  readonly turn: number
  readonly toolsVersion: string
  /** The registry that created the session. */
  readonly registry: ToolRegistry<Tools>
  /** The roles that this attachment holds. */
  readonly roles: string[]
  /** The names of the services that its tools get: those of the registry and of this attachment. */
  readonly services: string[]
  /** A service of this attachment, as its tools get it. */
  service(name: string): unknown
  readonly state: StateController
  /** Who finds the tools that this attachment does not declare. */
  readonly toolSearch: ToolSearch
  /**
   * The declarations of this attachment's tools in a provider's form, for the next request. With `toolSearch: 'gate'`,
   * they grow with each search. Throws as `getProviderSchemas` does.
   */
  declared(provider?: ProviderName | (string & {})): any[]
  /** Whether `declared` contains this tool now, if the attachment may use it. */
  isDeclared(toolId: string): boolean
  /** What the answers to the model add up to, and repeated calls, in this process. */
  usage(): SessionUsage
  /** Always resolves with exactly one answer. */
  execute<Id extends string>(
    call: { name: Id } & CallOf<Tools, Id>,
    options?: CallerOptions,
  ): Promise<ResponseOf<Tools, Id>>
  /** As `execute`; resolves with the answer's JSON text: for the host, with the token of a confirmation. A model gets `toModelResponse`. */
  executeText(call: ToolCall, options?: CallerOptions): Promise<string>
  /**
   * Runs consecutive reads concurrently; a write runs alone, in order. Resolves with the answers in call order; rejects with
   * a TypeError if `calls` is no list. An aborted signal cancels each call that waits.
   */
  executeAll(calls: ToolCall[], options?: CallerOptions): Promise<ToolResponse[]>
  /**
   * Increments the session's turn (once per `turnId`) and makes it this attachment's turn. From then on, only `beginTurn`
   * begins turns for this attachment; until then, `message` of a call or a pause (`turnPauseMs`) does.
   */
  beginTurn(turnId?: string): Promise<{ turn: number; pendingMessage: string | null }>
  /**
   * Runs the confirmed call with the arguments that were shown. It is named by the token of its confirmation. A host whose
   * framework passes approvals on by ids of its own names the call instead: then the first question that this call was given
   * is answered, or the one whose `token` the options have. A question that took its place later (after an edit, for an act
   * that was done meanwhile, about another definition) is asked under the model's next call.
   *
   * Nothing runs (CONFIRMATION_EXPIRED) for an unknown, used, denied or expired question. A call that already ran is replayed.
   * A signal that is aborted already leaves the confirmation pending. With `args` the call runs as its user has changed it,
   * and `meta.edited` says what ran. With `grant` later calls run without a question.
   */
  confirm(confirmed: string | ToolCall, options?: ConfirmOptions): Promise<ToolResponse>
  /**
   * Asks the question that `execute` would ask the user, and runs nothing. Resolves with the CONFIRMATION_REQUIRED
   * answer, or null if the call needs no confirmation, or a grant covers it.
   */
  ask(call: ToolCall): Promise<ToolResponse | null>
  /**
   * Denies a confirmation, named by its token or by the id of the call that asked. True if it was pending. A `reason` of
   * more than 1,000 characters is cut. The session's user may always deny, also what approvers decide about: the call is
   * withdrawn.
   */
  deny(denied: string, reason?: string, options?: DecisionOptions): Promise<boolean>
  /**
   * What became of a call of this session, named by its id or by the token of its question. It only looks: it answers no
   * question, runs nothing, and leaves no refusal in the audit and the metrics. Rejects if the attachment has left its
   * session, or the store fails.
   */
  outcome(named: { callId: string } | { token: string }): Promise<CallOutcome>
  /** The earlier name of `confirm(call)`. */
  approve(call: ToolCall, options?: ConfirmOptions): Promise<ToolResponse>
  /** The earlier name of `deny(callId)`. */
  decline(callId: string, reason?: string, options?: DecisionOptions): Promise<boolean>
  listPending(): Promise<PendingConfirmation[]>
  /** What the user has granted with confirmations, and has not ended: the oldest first, at most 20. */
  grants(): Promise<Grant[]>
  /** Ends a grant, in all processes: calls that have not begun are asked about. False if it had ended. */
  revoke(id: string, options?: AnswerOptions): Promise<boolean>
  /** The results of background calls, each once; see {@link BackgroundWork.results}. */
  results: BackgroundWork['results']
  /** The result of a call that this attachment holds; see {@link BackgroundWork.heldResult}. */
  heldResult: BackgroundWork['heldResult']
  /** The background calls, oldest first. */
  backgroundCalls: BackgroundWork['backgroundCalls']
  /** Cancels a call, also one that was answered early; see {@link BackgroundWork.cancelBackground}. */
  cancelBackground: BackgroundWork['cancelBackground']
  /**
   * A tool's arguments, such as those of a question, as a person must see them. Null if the session has no such tool, or the
   * arguments are not JSON.
   */
  showArguments(toolId: string, args: unknown): ShownArguments | null
  /**
   * Cancels every caller of an id, whichever attachment made the call; a `signal` cancels one caller. True if a caller
   * waited: it is answered with CANCELLED. False if the call has settled or has not arrived; a cancellation that comes
   * before its call is remembered by this attachment for 60 s, and the call then answers CANCELLED and does not run.
   */
  cancel(callId: string, reason?: string): boolean
  /** Returns the number of cancelled calls. */
  cancelAll(reason?: string): number
  /** Leaves the session, which can be attached again; running calls continue. */
  detach(): Promise<void>
  /** Final: later calls are SESSION_INACTIVE. */
  end(reason?: string): Promise<void>
}

export * from './types/audit'
export * from './types/background'
export * from './types/call-message'
export * from './types/compile'
export * from './types/confirmations'
export * from './types/define-tool'
export * from './types/handler-context'
export * from './types/health'
export * from './types/modes'
export * from './types/prompts'
export * from './types/providers'
export * from './types/repair'
export * from './types/responses'
export * from './types/running'
export * from './types/canonical-json'
export * from './types/schema-validator'
export * from './types/state'
export * from './types/registry-errors'
export * from './types/store'
export * from './types/tool-metadata'
export * from './types/typed-tools'
export * from './types/views'
