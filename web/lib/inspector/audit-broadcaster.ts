// Audit lines on their way to the inspector: the last ones are kept, each reader has a queue of its own. Nothing here
// grows without bound, and a reader that is slow, or stuck, costs neither calls nor other readers anything.
import { randomBytes } from 'node:crypto'

/** Lines kept for a reader that comes later, or comes back. */
const KEPT_LINES = 500
/** Lines that wait for one reader; the oldest go first, and the reader is told how many. */
const QUEUED_LINES = 1000
const MOST_READERS = 16
/** A line may hold what a handler logs. Longer ones are cut, so that the bound on lines is one on memory. */
const MOST_CHARACTERS = 16 * 1024

export interface AuditEntry {
  /** Counts up from 1, without holes. */
  seq: number
  /** The JSON text of the line. */
  line: string
}

export type AuditNews =
  AuditEntry | { /** Lines that the reader will not see. */ lost: number; /** The last of them. */ seq: number }

/** One reader's place in the stream. */
export class AuditReader {
  #queue: AuditEntry[]
  #lost = 0
  #wake: (() => void) | null = null
  #isOver = false

  constructor(waiting: AuditEntry[], lost: number) {
    this.#queue = waiting
    this.#lost = lost
  }

  /** What comes next; `null` once the stream is over. Waits where there is nothing yet. */
  async next(): Promise<AuditNews | null> {
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
    if (this.#queue.length > QUEUED_LINES) {
      this.#queue.shift()
      this.#lost += 1
    }
    this.#wakeUp()
  }

  /** What waits is still read; then the stream is over. */
  end(): void {
    this.#isOver = true
    this.#wakeUp()
  }

  #wakeUp(): void {
    this.#wake?.()
    this.#wake = null
  }
}

export class AuditHub {
  /** Whose numbers these are: another process counts anew. */
  readonly epoch = randomBytes(6).toString('base64url')
  #kept: AuditEntry[] = []
  #seq = 0
  #readers = new Set<AuditReader>()
  #isClosed = false

  publish(line: string): void {
    const entry = { seq: (this.#seq += 1), line: line.length > MOST_CHARACTERS ? shortened(line) : line }
    this.#kept.push(entry)
    if (this.#kept.length > KEPT_LINES) this.#kept.shift()
    for (const reader of this.#readers) reader.push(entry)
  }

  /**
   * A reader of what is kept and of what comes after the line `after`, the last that it has seen; 0 where it has seen none.
   * `null` where there are too many.
   */
  open(after = 0): AuditReader | null {
    if (this.#isClosed || this.#readers.size >= MOST_READERS) return null
    const waiting = this.#kept.filter(({ seq }) => seq > after)
    const lost = (waiting[0]?.seq ?? after + 1) - after - 1
    // Whoever comes for the first time has missed nothing that was theirs.
    const reader = new AuditReader(waiting, after === 0 ? 0 : lost)
    this.#readers.add(reader)
    return reader
  }

  leave(reader: AuditReader): void {
    this.#readers.delete(reader)
    reader.end()
  }

  /** Ends every stream: an open one would hold the server up when it is to end. */
  close(): void {
    this.#isClosed = true
    for (const reader of this.#readers) this.leave(reader)
  }
}

/** The facts at a line's head say what it is about. Cut text is no JSON, so it goes into a line of its own. */
function shortened(line: string): string {
  const { at, event, sessionId, toolId, callId } = JSON.parse(line) as Record<string, unknown>
  return JSON.stringify({
    at,
    event,
    sessionId,
    toolId,
    callId,
    cut: line.slice(0, MOST_CHARACTERS / 4),
    characters: line.length,
  })
}

// On `globalThis`: routes and the server's start are bundled apart from each other.
const KEY = Symbol.for('toolgate.web.inspector.audit')
const shared = globalThis as { [KEY]?: AuditHub }

export const auditHub = (): AuditHub => (shared[KEY] ??= new AuditHub())
