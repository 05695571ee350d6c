// The output of the gate's audit lines: `none`, `stdout`, or a file; and to the inspector, if it is on.
import { closeSync, openSync, writeSync } from 'node:fs'
import type { AuditSink } from 'toolgate'
import { auditSinkOf } from 'toolgate/http'
import { inspectorIsOn } from './features'
import { auditBroadcaster } from './inspector/audit-broadcaster'
import { runMemory } from './inspector/run-memory'

export interface AuditOutput {
  sink: AuditSink
  /** Called after the gate is closed. */
  close(): void
}

/**
 * Without the inspector the gate writes the lines itself; with the inspector they pass through this process, which rotates no
 * file.
 */
export function openAuditOutput(): AuditOutput {
  const chosen = auditSinkOf(process.env)
  if (!inspectorIsOn()) return { sink: chosen, close: () => {} }
  const hub = auditBroadcaster()
  const { write, close } = outputTo(typeof chosen === 'string' ? chosen : chosen.file)
  const sink = (line: string) => {
    // Write first: a line that the inspector shows is already written.
    write(`${line}\n`)
    hub.publish(line)
    // A file has the line already.
    if (typeof chosen === 'string') runMemory().push(line)
  }
  return { sink, close }
}

/** Writes whole lines synchronously: the server may end before a later write. A file is readable by its owner only. */
function outputTo(setting: string): { write(text: string): void; close(): void } {
  if (setting === 'none') return { write: () => {}, close: () => {} }
  if (setting === 'stdout') return { write: text => void process.stdout.write(text), close: () => {} }
  const file = openSync(setting, 'a', 0o600)
  return { write: text => void writeSync(file, text), close: () => closeSync(file) }
}
