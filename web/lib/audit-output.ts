// Where the gate's audit lines go: `none`, `stdout`, or the path of a file; and to the inspector, where it is on.
import { closeSync, openSync, writeSync } from 'node:fs'
import type { AuditSink } from 'toolgate'
import { inspectorIsOn } from './features'
import { auditHub } from './inspector/audit-hub'

export interface AuditOutlet {
  sink: AuditSink
  /** Once the gate says no more. */
  close(): void
}

/** Without the inspector the gate writes by itself; with it, lines pass through here. */
export function openAuditOutlet(setting = process.env.TOOLGATE_AUDIT || 'stdout'): AuditOutlet {
  if (!inspectorIsOn()) {
    const sink = setting === 'none' || setting === 'stdout' ? setting : { file: setting }
    return { sink, close: () => {} }
  }
  const hub = auditHub()
  const { write, close } = outputTo(setting)
  const sink = (line: string) => {
    // First where it stays: a line that somebody has seen is written.
    write(`${line}\n`)
    hub.publish(line)
  }
  return { sink, close }
}

/** Whole lines, at once: the server may end before a later write. A file is its owner's alone, as the gate's own is. */
function outputTo(setting: string): { write(text: string): void; close(): void } {
  if (setting === 'none') return { write: () => {}, close: () => {} }
  if (setting === 'stdout') return { write: text => void process.stdout.write(text), close: () => {} }
  const file = openSync(setting, 'a', 0o600)
  return { write: text => void writeSync(file, text), close: () => closeSync(file) }
}
