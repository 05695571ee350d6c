// The gate's counters.

/**
 * Tool → mode → counters. Beside the modes, `total` has the counters of all modes together. Calls of unknown tools are
 * counted under `(unknown)`, refused sessions under `(sessions)`.
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
  /** Results that arrived after their call was answered. */
  late: number
  /** Bytes of data returned to models. */
  resultBytes: number
  /** Of calls that ran; null if none did. */
  latencyMs: { p50: number | null; p95: number | null; p99: number | null }
}
