import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { notFound } from 'next/navigation'
import { LockedInspector } from '@/components/inspector/locked-inspector'
import { inspectorIsOn } from '@/lib/features'
import { isLocalRequest } from '@/lib/inspector/access'

export const metadata: Metadata = { title: 'Inspector' }

/** Where a browser without the inspector's secret arrives. */
export default async function LockedPage({ searchParams }: { searchParams: Promise<{ refused?: string }> }) {
  if (!inspectorIsOn() || !isLocalRequest(await headers())) notFound()
  return <LockedInspector isRefused={(await searchParams).refused !== undefined} />
}
