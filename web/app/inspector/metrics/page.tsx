import type { Metadata } from 'next'
import { MetricsBoard } from '@/components/inspector/metrics/metrics-board'
import { PageHead } from '@/components/inspector/page-head'
import { requireInspectorPage } from '@/lib/inspector/page-access'

export const metadata: Metadata = { title: 'Metrics' }

export default async function MetricsPage() {
  await requireInspectorPage()
  return (
    <>
      <PageHead title="Metrics">What the gate has counted since this server began.</PageHead>
      <MetricsBoard />
    </>
  )
}
