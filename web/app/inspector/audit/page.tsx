import type { Metadata } from 'next'
import { AuditLog } from '@/components/inspector/audit/audit-log'
import { PageHeader } from '@/components/inspector/page-header'
import { requireInspectorPage } from '@/lib/inspector/page-access'

export const metadata: Metadata = { title: 'Audit' }

export default async function AuditPage() {
  await requireInspectorPage()
  return (
    <>
      <PageHeader title="Audit">What the gate decides, as it decides: every session of this server.</PageHeader>
      <AuditLog />
    </>
  )
}
