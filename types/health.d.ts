// What a registry reports about itself: its state, and the core's own warnings.

/** A warning of the core. Further members are strings that depend on the message, such as `error` and `tool`. */
export interface CoreWarning {
  /** ISO 8601, UTC. */
  at: string
  level: 'warn' | 'error'
  message: string
  [field: string]: string
}

/** Whether a registry can do its work; `/readyz` of a server reports it. */
export interface RegistryHealth {
  /** True if calls are taken and all records and audit lines are kept. */
  ok: boolean
  /** The registry takes no more calls. */
  closing: boolean
  /**
   * Why the session store can't be used; null if it can. The store is asked by a small write within one second, once in two
   * seconds at most. A failure is reported from the second in a row, lost data at once.
   */
  storeError: string | null
  /** `failing`: the last audit line could not be written; `lost`: the number of such lines so far. */
  audit: { failing: boolean; lost: number }
  /**
   * How long the oldest result has been owed that no attachment has accepted, over all sessions of the store, in milliseconds: 0 if
   * none is owed, null if the store does not say. A call that runs in the background counts from its early answer, and again from
   * its end; one that was left from its deadline; one that is answered directly from its end.
   */
  owed: { oldestAgeMs: number | null }
}
