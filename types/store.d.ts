// Session stores. They keep turns, budgets, questions, state and the record of every call that ran.

export interface StoreTimes {
  /** Timeout of a store operation (default 5000). */
  timeoutMs?: number
  /**
   * The lease of a started call (default 30 000). The process renews it while the handler runs. After its expiry a
   * write has an unknown outcome, and a read may run again.
   */
  leaseMs?: number
}

/** A Redis server and what is expected of it. docs/stores.md says what each setting promises. */
export interface RedisServer {
  url: string | URL
  /**
   * The number of replicas that must have the claim of a write before its handler starts (default 0). With too few in
   * time the write is refused (TRANSIENT) and does not run.
   */
  waitReplicas?: number
  /** The longest wait for the replicas (default 500; at most a fifth of `timeoutMs`). */
  waitTimeoutMs?: number
  /** Uses a server that evicts keys, with a warning. Without it such a server fails `load()` (`STORE_REFUSED`). */
  allowEviction?: boolean
}

/**
 * - `memory`: in this process; lost when it ends.
 * - `{ file }`: a path or file URL. SQLite, readable by its owner only; any number of processes of one machine share
 *   it. A wider mode of an existing file is corrected, with a warning; a symbolic link is refused. If the file is
 *   replaced or deleted while it is in use, the store fails until the file is put back or the registry is made anew.
 * - `{ redis }`: a URL such as `redis://user:password@host:6379/0`; any number of machines share it. `rediss://`
 *   uses TLS; the certificate must be from an authority of this system, or of the file `SSL_CERT_FILE`. An untrusted
 *   server, a refused password, or a `maxmemory-policy` other than `noeviction` fails `load()` (`STORE_REFUSED`); an
 *   unreachable server does not. If the server loses its data, writes are refused until `registry.acceptStore()`.
 *
 * With a file or a server, a session that is resumed in another process keeps its turn, budgets, questions, records and
 * state. If the store does not answer, writes are refused (TRANSIENT) and reads run with `meta.warnings`
 * `store_unavailable`.
 */
export type StoreChoice =
  'memory' | ({ file: string | URL } & StoreTimes) | ({ redis: string | URL | RedisServer } & StoreTimes)

/** Converts a store setting: `memory` (also if absent), a `redis://` or `rediss://` URL, or the path of a file. */
export function storeFromSetting(setting?: string): StoreChoice
