// The inspector's running calls, so that another request of the same browser can cancel them.
import type { Session } from 'toolgate'
import type { CookieUser } from 'toolgate/web'

// On `globalThis`: routes are bundled separately.
const KEY = Symbol.for('toolgate.web.inspector.running')
const shared = globalThis as { [KEY]?: Set<Running> }
const running = (): Set<Running> => (shared[KEY] ??= new Set())

interface Running {
  owner: string
  session: Session
}

/** Runs `act`; meanwhile a request with the same key can cancel its calls. */
export async function whileRunning<T>(key: CookieUser, session: Session, act: () => Promise<T>): Promise<T> {
  const entry = { owner: ownerOf(key), session }
  running().add(entry)
  try {
    return await act()
  } finally {
    running().delete(entry)
  }
}

/** @returns the number of cancelled calls; each is answered by the gate's rules */
export function cancelRunning(key: CookieUser): number {
  const own = [...running()].filter(({ owner }) => owner === ownerOf(key))
  return own.reduce((count, { session }) => count + session.cancelAll('cancelled in the inspector'), 0)
}

const ownerOf = (key: CookieUser) => `${key.id}.${key.principal}`
