import type { Metadata } from 'next'
import { AuditLog } from '@/components/inspector/audit/audit-log'
import { PageHead } from '@/components/inspector/page-head'
import { requireInspectorPage } from '@/lib/inspector/page-access'

export const metadata: Metadata = { title: 'Audit' }

export default async function AuditPage() {
  await requireInspectorPage()
  return (
    <>
      <PageHead title="Audit">What the gate decides, as it decides: every session of this server.</PageHead>
      <AuditLog />
    </>
  )
}
