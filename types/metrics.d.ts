// The gate's counters.

/**
 * Tool → mode → counters. Beside the modes, `total` has the counters of all modes together. Calls of unknown tools are
 * counted under `(unknown)`, refused sessions under `(sessions)`. `(declared)` has what was declared to models, each time
 * that the host asked for declarations, and `(undeclared)` what `toolSearch: 'gate'` and `'provider'` left out of the
 * model's context; declarations without a mode are counted under the mode `(none)`.
 */
export type Metrics = Record<string, { total: ToolCounters } & Record<string, ToolCounters>>

/** The counters of one tool in one mode, or in all. */
export interface ToolCounters {
  /** Calls that ran or were refused. */
  calls: number
  /** By `error.type`; a type without errors is absent. */
  errors: Record<string, number>
  replays: number
  retries: number
  cached: number
  ignoredSignals: number
  timeouts: number
  cancellations: number
  /** Calls whose callers were answered early; see {@link BackgroundWork}. */
  deferred: number
  /** Results that arrived after their call was answered. */
  late: number
  /** Bytes of the answers of calls that ran. */
  resultBytes: number
  /** Bytes of full results that were kept for users where the model got a shortened one. */
  fullResultBytes: number
  /** Bytes of those that gave way to newer ones (`limits.fullResultBytes`). */
  droppedFullResultBytes: number
  /** Bytes of all answers to calls of a model, without `meta`: replays and refusals too, calls of handlers not. */
  contextBytes: number
  /** Answers that exceeded a limit of the context monitor (`context_warning`). */
  contextWarnings: number
  /** Calls that the loop guard warned of or refused (`loop_detected`). */
  loops: number
  /**
   * Questions: `asked`, `confirmed`, `denied`, and `late` for an answer that came too late. Denials and late answers are counted
   * under the mode `(none)`. An event that did not happen is absent, here and below.
   */
  questions: Record<string, number>
  /**
   * Results of calls whose callers were answered early: `delivered` to the session, or `dropped` because they were owed too long;
   * and `unrecorded` for an outcome that the store did not take. Those two are counted under the mode `(none)`.
   */
  results: Record<string, number>
  /** Calls of unknown outcome that the tool was asked about, by what it found out; an outcome without calls is absent. */
  reconciles: Record<string, number>
  /** Repaired values of calls that ran, by {@link RepairRule}; a rule without repairs is absent. */
  repairs: Record<string, number>
  /** Of calls that ran; null if none did. */
  latencyMs: { p50: number | null; p95: number | null; p99: number | null }
  /** The same calls in fixed buckets, which can be added over processes; null if no call ran. */
  latencyHistogram: LatencyHistogram | null
  /** Declarations of tools. Only of `(declared)` and `(undeclared)`. */
  declarations?: number
  /** Estimated tokens of the declarations: bytes of their compact JSON / 4. Only of `(declared)` and `(undeclared)`. */
  declarationTokens?: number
}

/** Latencies in fixed buckets. */
export interface LatencyHistogram {
  /** The largest latency of each bucket in milliseconds, rising: 1, 2, 4, up to 65,536. The same in all processes. */
  boundsMs: number[]
  /** The calls of each bucket, without those of the buckets below. The last number is that of the calls above all bounds. */
  counts: number[]
  /** The sum of all latencies, in milliseconds. */
  sumMs: number
}

/** What a session has used in this process; another process that shares the session counts for itself. */
export interface SessionUsage {
  /** The newest turn with an answer; 0 before the first. */
  turn: number
  /** Bytes of the turn's answers to the model, without `meta`. */
  turnContextBytes: number
  /** The same in estimated tokens: bytes / 4. */
  turnContextTokens: number
  /** Bytes of all answers to the model. */
  contextBytes: number
  /** The same in estimated tokens. */
  contextTokens: number
  /** Calls that the loop guard warned of or refused. */
  loops: number
}

/** Limits of the context monitor, in estimated tokens (bytes / 4) of answers to the model. 0: no warning. */
export interface ContextLimits {
  /** Of one turn (default 16 000): a greater sum is one `context_warning` of the turn. */
  turnContextTokens?: number
  /** Of the session in this process (default 100 000): a greater sum is one `context_warning` of the session. */
  sessionContextTokens?: number
}
