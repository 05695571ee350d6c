// The lines that the inspector's sessions are read from, where no file has them: bounded in number and in size, and kept only
// while the inspector is on.

const MAX_LINES = 5000
const MAX_CHARACTERS = 8 * 1024 * 1024
/** A longer line is left out: a handler's log may be of any length. */
export const MAX_LINE = 64 * 1024

export class RunMemory {
  #lines: string[] = []
  #characters = 0

  push(line: string): void {
    if (line.length > MAX_LINE) return
    this.#lines.push(line)
    this.#characters += line.length
    while (this.#lines.length > MAX_LINES || this.#characters > MAX_CHARACTERS)
      this.#characters -= this.#lines.shift()?.length ?? 0
  }

  get lines(): readonly string[] {
    return this.#lines
  }
}

// On `globalThis`: routes and the server's start are bundled separately.
const KEY = Symbol.for('toolgate.web.inspector.runs')
const shared = globalThis as { [KEY]?: RunMemory }

export const runMemory = (): RunMemory => (shared[KEY] ??= new RunMemory())
