// Imported at server start: checks the settings, of which a wrong one ends the process; loads the gate, so that a broken
// tool set is logged before the first request; and closes it with the server, so that no audit line is lost.
import { acceptStoreOnSignal, cookieSecretOf, misspeltSettings, toolServiceSettings } from 'toolgate/http'
import { loadGate } from './gate'
import { inspectorIsOn } from './features'
import { inspectorSecret } from './inspector/secret'
import { requireSafeAddress } from './listening-address'
import { logFailure, serverLog } from './log-failure'
import { metricsAccess } from './metrics-access'
import { providerKind } from './provider'
import { loadReception } from './reception'
import { guardRequests } from './request-guard'
import { endOnSignals } from './shutdown'
import { startTraces } from './traces'

requireSafeAddress()
try {
  for (const { name, meant } of misspeltSettings(process.env)) serverLog().warn('unknown variable', { name, meant })
  guardRequests()
  cookieSecretOf(process.env)
  metricsAccess()
  providerKind()
  toolServiceSettings(process.env)
  inspectorSecret()
  await loadReception()
  startTraces()
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
if (inspectorIsOn() && !process.env.TOOLGATE_INSPECTOR_SECRET)
  console.log(`the inspector opens by /inspector/open?secret=${inspectorSecret()}`)
loadGate().catch((error: unknown) => logFailure('the tool registry could not be loaded', error))
acceptStoreOnSignal(async () => (await loadGate()).acceptStore(), serverLog())
endOnSignals()
