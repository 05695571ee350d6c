// The probes of an orchestrator, in the shape of every server of this package.
import { createHealthProbes, type ProbeAnswer } from 'toolgate/http'
import { loadGate } from './gate'
import { logFailure } from './log-failure'
import { providerKind } from './provider'

export const probes = createHealthProbes({
  registry: () =>
    loadGate().catch((error: unknown) => {
      logFailure('the tool registry could not be loaded', error)
      throw error
    }),
  details: () => ({ provider: providerKind() }),
})

/** The answer as a response that no cache keeps. */
export function probeResponse({ status, body }: ProbeAnswer<object>): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
}
