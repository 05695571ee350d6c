// The audit: where its lines go.

export type AuditSink = 'none' | 'stdout' | { file: string; rotate?: AuditRotation } | ((line: string) => void)

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
