// Notifies the test's own server that it has started, and answers 800 ms later.
import { setTimeout as pause } from 'node:timers/promises'

export async function execute() {
  await fetch(`${process.env.TOOLGATE_TEST_LISTENER}/started`, { method: 'POST' })
  await pause(800)
  return { ok: true, data: { said: 'done' } }
}
