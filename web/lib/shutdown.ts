// Ends the server after a signal: no new connections, running calls and answers end, the audit is written.
import type { Server } from 'node:http'
import { onAppServer } from './app-server'
import { closeGate } from './gate'
import { endTraces } from './traces'

/** After this, requests that have not ended are cut off. */
const LIMIT_MS = 30_000

/**
 * From now on SIGTERM and SIGINT end the process with 0; a second signal ends it at once. Under `next start`, which
 * handles signals itself, only the gate is closed here, and Next chooses the exit code.
 */
export function endOnSignals(): void {
  let server: Server | null = null
  onAppServer(found => void (server = found))
  const end = async () => {
    const closed = closeGate().finally(endTraces)
    if (!process.env.NEXT_MANUAL_SIG_HANDLE) return closed
    const limit = new Promise(resolve => setTimeout(resolve, LIMIT_MS))
    await Promise.race([limit, Promise.all([closed, answered(server)])])
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void end())
}

/** Resolves once the requests that the server has taken are answered. No request came to a server that is not known. */
const answered = (server: Server | null) => server && new Promise(resolve => server.close(resolve))
