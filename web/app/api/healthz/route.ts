import { probeResponse, probes } from '@/lib/health'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** 200 as long as the process serves. */
export async function GET(): Promise<Response> {
  return probeResponse(await probes.alive())
}
