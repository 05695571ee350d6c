// Session stores. They keep turns, budgets, questions, state and the record of every call that ran.

import type { AuditFile } from './audit'

export interface StoreTimes {
  /** Timeout of a store operation (default 5000). */
  timeoutMs?: number
  /**
   * The lease of a started call (default 10 000). The process renews it while the handler runs. After its expiry a
   * write has an unknown outcome, and a read may run again. On Linux the death of the process ends it at once for the
   * other processes of the machine.
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

/** A Postgres database and how it is used. docs/stores.md says what each setting promises. */
export interface PostgresServer {
  url: string | URL
  /** The schema of the tables (default the parameter `schema` of the URL, or `toolgate`). It is created if it is absent. */
  schema?: string
  /** The maximum of connections of this process (default 10). Sessions share them. */
  connections?: number
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
 * - `{ postgres }`: a URL such as `postgres://user:password@host:5432/database`; any number of machines share it, also
 *   through a pooler in transaction mode. `sslmode=require` demands TLS, whose certificate must be from an authority of
 *   this system, or of the file `SSL_CERT_FILE`. An untrusted server, a refused password, a database that is not in
 *   `UTF8`, or tables of a newer version fail `load()` (`STORE_REFUSED`); an unreachable server does not. If the database
 *   loses its data, writes are refused until `registry.acceptStore()`.
 *
 * `load()` makes a small write: a file or server that refuses it, such as a full one, a replica, a node of a Redis Cluster or
 * one that its user has no rights on, fails it (`STORE_REFUSED`).
 *
 * With a file or a server, a session that is resumed in another process keeps its turn, budgets, questions, records and
 * state. If the store does not answer, writes are refused (TRANSIENT) and reads run with `meta.warnings`
 * `store_unavailable`.
 */
export type StoreChoice =
  | 'memory'
  | ({ file: string | URL } & StoreTimes)
  | ({ redis: string | URL | RedisServer } & StoreTimes)
  | ({ postgres: string | URL | PostgresServer } & StoreTimes)

/** Converts a store setting: `memory` (also if absent), a `redis://`, `rediss://`, `postgres://` or `postgresql://` URL, or the path of a file. @throws TypeError for a URL of another kind */
export function storeFromSetting(setting?: string): StoreChoice

/** The number of things that a store keeps. */
export interface StoreCounts {
  /** Sessions, active and ended. */
  sessions: number
  /** Records of calls. A call without an id that was later named counts twice. */
  records: number
  /** Answers of calls. */
  answers: number
  /** Questions to users, pending and answered. */
  questions: number
}

/** A copy of a file store. */
export interface StoreCopy {
  /** The absolute path of the new file. */
  file: string
  /** Its size in bytes. */
  bytes: number
  /** The version of its table layout. */
  layout: number
  counts: StoreCounts
}

export interface FileStoreCheck {
  kind: 'file'
  /** Absolute path. */
  file: string
  /** The version of its table layout, and the newest that this version of the package knows. */
  layout: number
  knownLayout: number
  /** Sizes of the file and of its write-ahead log. */
  bytes: number
  logBytes: number
  /** `null` if the file is damaged so that it can't be counted. */
  counts: StoreCounts | null
  /** What is wrong, as sentences. Empty if the store is whole. */
  problems: string[]
}

export interface RedisStoreCheck {
  kind: 'redis'
  /** The setting `maxmemory-policy`; `null` if the server does not show its settings. */
  evictionPolicy: string | null
  /** The settings that decide what a restart loses, such as `appendonly yes, appendfsync everysec, save ""`. */
  persistence: string | null
  /** Other processes change the store while it is counted. */
  counts: StoreCounts
  /** Settings with which calls can be forgotten, as sentences. */
  problems: string[]
}

export interface PostgresStoreCheck {
  kind: 'postgres'
  /** The schema of the tables. */
  schema: string
  /** The version of the table layout, and the newest that this version of the package knows. */
  layout: number
  knownLayout: number
  /** The settings that decide what a crash loses, such as `fsync on, synchronous_commit on`. */
  durability: string
  counts: StoreCounts
  /** Settings with which calls can be forgotten, as sentences. */
  problems: string[]
}

export type StoreCheck = FileStoreCheck | RedisStoreCheck | PostgresStoreCheck

/** Thrown by the functions below if a store can't be used: it is absent, damaged, in use, unreachable, or newer. */
export class StoreError extends Error {
  readonly name: 'StoreError'
  readonly code: 'STORE_FAILED'
}

/**
 * Copies a file store to a new file, through SQLite's own backup, while processes use it. All that was committed before
 * the call is in the copy. The copy is checked and on the disk when the promise resolves, and readable by its owner only;
 * it contains what the store contains, the arguments of pending questions included.
 *
 * @throws {StoreError} if the store can't be read or is damaged, or `file` exists or can't be written
 * @throws {TypeError} if `store` is not `{ file }`
 */
export function backupStore(store: StoreChoice, file: string | URL): Promise<StoreCopy>

/**
 * Makes a backup the store. Calls that ran after the backup are forgotten: a call that comes again runs again.
 *
 * @param options `force` replaces a store that exists (default false). A store that a process uses is never replaced.
 * @throws {StoreError} if the backup is damaged or newer, or the store exists or is in use
 * @throws {TypeError} if `store` is not `{ file }`
 */
export function restoreStore(file: string | URL, store: StoreChoice, options?: { force?: boolean }): Promise<StoreCopy>

/**
 * Checks a store and counts what it keeps. Takes no write lock and changes nothing.
 *
 * @throws {StoreError} if the store is absent, unreachable, no store of this package, or newer than this version
 * @throws {TypeError} if `store` is `memory`
 */
export function checkStore(store: StoreChoice): Promise<StoreCheck>

/** A stored session without its calls. */
export interface SessionSummary {
  /** The session's id; a hash of a long one. */
  id: string
  principal: string | null
  mode: string | null
  /** False if the session has ended. */
  active: boolean
  /** From 1. */
  turn: number
  registryVersion: string
  /** The time of the last use, ISO 8601. */
  usedAt: string
}

export interface SessionList {
  /** The last used first; on Redis in no order. */
  sessions: SessionSummary[]
  /** Whether there are more than the limit. */
  more: boolean
  /** The number of sessions that were looked at and can't be read. */
  unreadable: number
}

/** A stored session with the states of its calls and questions, and its grants: no argument, result, state value or token. */
export interface SessionOverview extends SessionSummary {
  records: {
    /** The tool as called. */
    tool: string
    callId: string | null
    turn: number
    /** `lost`: started, and its process no longer renews it; `unknown`: it may have run. */
    state: 'started' | 'lost' | 'unknown' | 'succeeded' | 'failed'
    /** ISO 8601. */
    claimedAt: string
  }[]
  questions: {
    tool: string
    callId: string | null
    turn: number
    state: 'pending' | 'expired' | 'denied' | 'confirmed'
    /** ISO 8601. */
    expires: string
    /** How many approvers have confirmed it, of how many that must; null if who asks answers it. */
    approvers: { confirmations: number; count: number } | null
  }[]
  /** Those that have not ended, the oldest first. */
  grants: {
    /** For `revokeGrant`; also in the audit line `confirmation_granted`, whose hashes name the arguments. */
    id: string
    tool: string
    toolVersion: string
    scope: 'args' | 'tool'
    callsLeft: number
    /** ISO 8601. */
    expires: string
    /** ISO 8601. */
    grantedAt: string
    /** The way in which the user's answer came. */
    via: string | null
  }[]
  /** The number of rows that can't be read. */
  unreadable: number
}

export interface ErasureReport {
  erased: StoreCounts
  /** Sessions that can't be read, and so belong to an unknown principal. They stay. At most 100. */
  unreadable: string[]
  /** Whether deleted values may still be in the write-ahead log of the file, until the processes that use it empty it. */
  leftInLog: boolean
}

/**
 * Lists the sessions of a store. Takes no write lock and changes nothing, as `showSession`.
 *
 * @param options `principal`: its sessions only; `limit`: the maximum (default 100)
 * @throws {StoreError} if the store can't be used
 */
export function listSessions(store: StoreChoice, options?: { principal?: string; limit?: number }): Promise<SessionList>

/**
 * Shows a session by its id, or by the hash that `listSessions` shows for a long one. `null` if there is none.
 *
 * @throws {StoreError} if the store can't be used, or the session can't be read
 */
export function showSession(store: StoreChoice, sessionId: string): Promise<SessionOverview | null>

/**
 * Ends a session. Processes that use it learn of it at their next call of the session, which is refused
 * (SESSION_INACTIVE). False if it had ended, `null` if there is none.
 *
 * @throws {StoreError} if the store can't be used
 */
export function endSession(store: StoreChoice, sessionId: string): Promise<boolean | null>

/**
 * Ends a grant of a session: calls that are claimed from then on are asked about, in every process. False if the session has
 * no such grant, or it had ended; `null` if there is no such session.
 *
 * @param options `audit`: the file to which the processes of the store write, for the line `grant_revoked` with
 *   `via: "operator"`; `none` (default) for no line. Its `key` is read as the registry's.
 * @throws {StoreError} if the store can't be used, if the audit file can't be opened (nothing is revoked then), or if its
 *   line can't be written (the grant is revoked)
 */
export function revokeGrant(
  store: StoreChoice,
  sessionId: string,
  grantId: string,
  options?: { audit?: 'none' | AuditFile },
): Promise<boolean | null>

/**
 * Deletes the sessions of a principal with their records, answers and questions. A session that begins meanwhile may
 * stay, and a call of an erased session that comes again runs again: end what the principal uses first. Backups, audit
 * files and a server's snapshots are not changed.
 *
 * @throws {StoreError} if the store can't be used
 */
export function eraseSessions(store: StoreChoice, options: { principal: string }): Promise<ErasureReport>
