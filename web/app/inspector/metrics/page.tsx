import type { Metadata } from 'next'
import { MetricsDashboard } from '@/components/inspector/metrics/metrics-dashboard'
import { PageHeader } from '@/components/inspector/page-header'
import { requireInspectorPage } from '@/lib/inspector/page-access'

export const metadata: Metadata = { title: 'Metrics' }

export default async function MetricsPage() {
  await requireInspectorPage()
  return (
    <>
      <PageHeader title="Metrics">What the gate has counted since this server began.</PageHeader>
      <MetricsDashboard />
    </>
  )
}
