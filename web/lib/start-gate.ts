// Imported at server start: loads the gate, so that a broken tool set is logged before the first request, and closes it
// with the server, so that no audit line is lost.
import { closeGate, loadGate } from './gate'
import { cookieKey } from './cookie-key'
import { logFailure } from './log-failure'
import { metricsAccess } from './metrics-access'
import { recordPeers } from './peer-address'

recordPeers()
// A wrong setting is logged at the start, and every request is then answered with 500.
cookieKey()
metricsAccess()
loadGate().catch((error: unknown) => logFailure('the tool registry could not be loaded', error))
process.once('SIGTERM', () => void closeGate())
process.once('SIGINT', () => void closeGate())
