// Takes longer than a user waits in silence.
import { setTimeout as pause } from 'node:timers/promises'

export async function execute() {
  await pause(1500)
  return { ok: true, data: { found: 1 } }
}
