// Imported when the server starts: loads the gate, so that a broken tool set is in the log before the first request,
// and closes it with the server, so that no audit line is lost.
import { closeGate, loadGate } from './gate'
import { notePeerAddresses } from './inspector/peer-address'
import { logFailure } from './log-failure'

notePeerAddresses()
loadGate().catch((error: unknown) => logFailure('the tool registry could not be loaded', error))
process.once('SIGTERM', () => void closeGate())
process.once('SIGINT', () => void closeGate())
