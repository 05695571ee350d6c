// Who may use the app, and how much of it: the settings `TOOLGATE_AUTHENTICATE`, `TOOLGATE_ADDRESS_LIMITS` and
// `TOOLGATE_PRINCIPAL_LIMITS`.
import { type Authenticate, clientLimitsOf, createClientLimits, loadAuthenticate } from 'toolgate/http'

interface Reception {
  /** Undefined: everybody may use the app. */
  authenticate: Authenticate | undefined
  limits: ReturnType<typeof createClientLimits>
}

// On `globalThis`: routes are bundled separately.
const KEY = Symbol.for('toolgate.web.reception')
const shared = globalThis as { [KEY]?: Promise<Reception> }

/**
 * Reads the settings, once.
 *
 * @throws TypeError if one is invalid
 */
export function loadReception(): Promise<Reception> {
  return (shared[KEY] ??= open())
}

async function open(): Promise<Reception> {
  const authenticate = await loadAuthenticate(process.env.TOOLGATE_AUTHENTICATE || undefined)
  return { authenticate, limits: createClientLimits(clientLimitsOf(process.env)) }
}
