// Distributes audit lines to the inspector: keeps the last ones, and a queue per reader. All sizes are bounded; a slow
// or stuck reader delays neither calls nor other readers.
import { randomBytes } from 'node:crypto'

/** Lines kept for new and returning readers. */
const MAX_KEPT_LINES = 500
/** Maximum queue of one reader; the oldest lines are dropped and reported as a gap. */
const MAX_QUEUED_LINES = 1000
const MAX_READERS = 16
/** Longer lines are cut, to bound memory: a line may contain a handler's log output. */
const MAX_CHARACTERS = 16 * 1024

export interface AuditEntry {
  /** Sequence number from 1, without gaps. */
  seq: number
  /** The JSON text of the line. */
  line: string
}

export type AuditStreamItem =
  AuditEntry | { /** Lines that the reader will not see. */ lost: number; /** The last of them. */ seq: number }

/** One reader of the stream. */
export class AuditReader {
  #queue: AuditEntry[]
  #lost = 0
  #wake: (() => void) | null = null
  #isOver = false

  constructor(waiting: AuditEntry[], lost: number) {
    this.#queue = waiting
    this.#lost = lost
  }

  /** Waits for the next item; `null` after the end of the stream. */
  async next(): Promise<AuditStreamItem | null> {
    while (this.#queue.length === 0 && !this.#isOver) {
      await new Promise<void>(resolve => (this.#wake = resolve))
    }
    const [first] = this.#queue
    if (!first) return null
    if (this.#lost === 0) return this.#queue.shift() ?? null
    const gap = { lost: this.#lost, seq: first.seq - 1 }
    this.#lost = 0
    return gap
  }

  push(entry: AuditEntry): void {
    this.#queue.push(entry)
    if (this.#queue.length > MAX_QUEUED_LINES) {
      this.#queue.shift()
      this.#lost += 1
    }
    this.#wakeUp()
  }

  /** Ends the stream after the queued lines. */
  end(): void {
    this.#isOver = true
    this.#wakeUp()
  }

  #wakeUp(): void {
    this.#wake?.()
    this.#wake = null
  }
}

export class AuditBroadcaster {
  /** Identifies the process: another process restarts the sequence numbers. */
  readonly epoch = randomBytes(6).toString('base64url')
  #kept: AuditEntry[] = []
  #seq = 0
  #readers = new Set<AuditReader>()
  #isClosed = false

  publish(line: string): void {
    const entry = { seq: (this.#seq += 1), line: line.length > MAX_CHARACTERS ? truncateLine(line) : line }
    this.#kept.push(entry)
    if (this.#kept.length > MAX_KEPT_LINES) this.#kept.shift()
    for (const reader of this.#readers) reader.push(entry)
  }

  /**
   * Opens a reader of the kept and future lines after line `after`, the last one that it has seen (0: none).
   * Returns `null` if there are too many readers.
   */
  open(after = 0): AuditReader | null {
    if (this.#isClosed || this.#readers.size >= MAX_READERS) return null
    const waiting = this.#kept.filter(({ seq }) => seq > after)
    const lost = (waiting[0]?.seq ?? after + 1) - after - 1
    // A new reader has missed nothing.
    const reader = new AuditReader(waiting, after === 0 ? 0 : lost)
    this.#readers.add(reader)
    return reader
  }

  leave(reader: AuditReader): void {
    this.#readers.delete(reader)
    reader.end()
  }

  /** Ends all streams: an open one would keep the server from ending. */
  close(): void {
    this.#isClosed = true
    for (const reader of this.#readers) this.leave(reader)
  }
}

/** Replaces a long line by its main members and a cut text: the cut line itself would not be JSON. */
function truncateLine(line: string): string {
  const { at, event, sessionId, toolId, callId } = JSON.parse(line) as Record<string, unknown>
  return JSON.stringify({
    at,
    event,
    sessionId,
    toolId,
    callId,
    cut: line.slice(0, MAX_CHARACTERS / 4),
    characters: line.length,
  })
}

// On `globalThis`: routes and the server's start are bundled separately.
const KEY = Symbol.for('toolgate.web.inspector.audit')
const shared = globalThis as { [KEY]?: AuditBroadcaster }

export const auditBroadcaster = (): AuditBroadcaster => (shared[KEY] ??= new AuditBroadcaster())
