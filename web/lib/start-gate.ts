// Imported when the server starts: loads the gate, so that a broken tool set is in the log before the first request,
// and closes it with the server, so that no audit line is lost.
import { loadGate } from './gate'
import { logFailure } from './log-failure'

async function closeGate(): Promise<void> {
  const registry = await loadGate().catch(() => null)
  await registry?.close()
}

loadGate().catch((error: unknown) => logFailure('the tool registry could not be loaded', error))
process.once('SIGTERM', () => void closeGate())
process.once('SIGINT', () => void closeGate())
