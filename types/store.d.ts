// Where sessions live: their turns, budgets, questions, state and the record of every call that ran.

export interface StoreTimes {
  /** How long an operation may take before it counts as failed (default 5000). */
  timeoutMs?: number
  /**
   * How long a started call is held for a process that does not renew it (default 30 000); it is renewed while the
   * handler runs. After it a write is unknown, and a read may run again.
   */
  leaseMs?: number
}

/**
 * - `memory`: of this process; gone with it.
 * - `{ file }`: a path or file URL. SQLite, readable by its owner only; any number of processes of one machine share it.
 * - `{ redis }`: a URL such as `redis://user:password@host:6379/0`; any number of machines share it. `rediss://`
 *   speaks TLS, to a server whose certificate is of an authority of this system, or of the file that `SSL_CERT_FILE` names. A server
 *   that is not trusted, or refuses the password, fails `load()` (`STORE_REFUSED`); one that does not answer does not.
 *
 * With a file or a server, a session that is resumed in another process finds its turn, budgets, questions, records and
 * state. Where the store does not answer, writes are refused (TRANSIENT) and reads run with `meta.warnings`
 * `store_unavailable`.
 */
export type StoreChoice = 'memory' | ({ file: string | URL } & StoreTimes) | ({ redis: string | URL } & StoreTimes)

/** A store as one setting: `memory` (also if absent), a `redis://` or `rediss://` URL, or the path of a file. */
export function storeFromSetting(setting?: string): StoreChoice
