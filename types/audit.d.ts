// The audit: its sinks, its files and their verification.

import type { StoreChoice } from './store'

export type AuditSink = 'none' | 'stdout' | AuditFile | ((line: string) => void)

/** A file of audit lines, readable by its owner only. */
export interface AuditFile {
  file: string
  rotate?: AuditRotation
  /**
   * The secret key of the installation, 16 bytes or more: of the chain, and of `argsHash`. All processes of an
   * installation need the same. By default the environment variable TOOLGATE_AUDIT_KEY, and without it a key that the
   * store keeps (`{ file }`, `{ redis }` or `{ postgres }`).
   */
  key?: string
  /**
   * Whether each line has `seq` and `chain`, a keyed hash over it and the line before, which `verifyAudit` checks.
   * Default: true if there is a key that outlives the process.
   */
  chain?: boolean
}

/**
 * When the audit file is rotated. Rotated files are `<file>.000001`, `<file>.000002` and so on, the oldest first. With or
 * without rotation, a file that another process renamed (logrotate) is opened anew before the next line.
 */
export interface AuditRotation {
  /** Largest size in bytes (default 100 MiB). No line is split. */
  maxBytes?: number
  /** Largest age of the file, checked with each line (default: any). */
  maxAgeMs?: number
  /** Number of rotated files that are kept (default 10). */
  keep?: number
  /** Compress rotated files with gzip, as `<file>.000001.gz` (default true). */
  compress?: boolean
}

/** What a verification found in one chain: an audit file with its rotated files. */
export interface AuditVerification {
  /** The audit file. */
  file: string
  /** Number of lines that are as they were written. */
  verified: number
  /** Number of lines that were written before the chain began. */
  before: number
  /** `seq` of the first line of the chain in these files; `null` without one. Lines before it are in older files. */
  first: number | null
  /** `seq` of the last line. Lines that were removed after it are not noticed. */
  last: number | null
  /** Number of lines that a killed process left incomplete. They are no problems. */
  incomplete: number
  /** Lines that were changed, removed, added or moved, in their order. At most 1000. */
  problems: { file: string; line: number; problem: string }[]
  /** Number of problems. */
  problemCount: number
}

/**
 * Verifies the chains of audit files: one for each audit file, which comes with its rotated files. Lines may be added,
 * and files rotated, meanwhile. Rotated files that are named without their audit file are verified as they are.
 *
 * @param options `key`: the key that `audit.key` had (default: TOOLGATE_AUDIT_KEY); `store`: the store that keeps the key,
 *   if none was given; `inOrder`: the files are one chain in this order, because another program renamed them
 * @throws {StoreError} if the key can't be read from the store, or a file can't be read
 * @throws {TypeError} if no key and no store is given
 */
export function verifyAudit(
  files: string | URL | (string | URL)[],
  options?: { key?: string; store?: StoreChoice; inOrder?: boolean },
): Promise<AuditVerification[]>
