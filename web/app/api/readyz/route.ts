import { probeResponse, probes } from '@/lib/health'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** 200 if calls are taken and records and audit lines are kept, else 503. Says which part fails, not why. */
export async function GET(): Promise<Response> {
  return probeResponse(await probes.ready())
}
