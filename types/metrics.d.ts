// What the gate counts.

/** Tool → mode → counters. */
export type Metrics = Record<string, Record<string, ToolCounters>>

/** What was counted of one tool in one mode. */
export interface ToolCounters {
  /** Calls that ran or were refused. */
  calls: number
  /** By `error.type`; a type that never came is absent. */
  errors: Record<string, number>
  replays: number
  retries: number
  cached: number
  ignoredSignals: number
  timeouts: number
  cancellations: number
  /** Results that came after their call had been answered. */
  late: number
  /** Bytes of data given to models. */
  resultBytes: number
  /** Of calls that ran; null if none did. */
  latencyMs: { p50: number | null; p95: number | null; p99: number | null }
}
