// A few at a time, with pauses in between: whoever reads along can keep up.
import { setTimeout as pause } from 'node:timers/promises'

const AT_ONCE = 50

export async function execute({ args, audit }) {
  for (let line = 0; line < args.count; line += 1) {
    audit.log('line', { line, text: 'x'.repeat(args.characters) })
    if (line % AT_ONCE === AT_ONCE - 1) await pause(2)
  }
  return { ok: true, data: { lines: args.count } }
}
