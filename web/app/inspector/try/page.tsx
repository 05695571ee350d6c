import type { Metadata } from 'next'
import { PageHeader } from '@/components/inspector/page-header'
import { TryIt } from '@/components/inspector/try/try-it'
import { loadGate } from '@/lib/gate'
import { requireInspectorPage } from '@/lib/inspector/page-access'
import { describeToolSet } from '@/lib/inspector/tool-set'

export const metadata: Metadata = { title: 'Try it' }

export default async function TryPage({ searchParams }: { searchParams: Promise<{ tool?: string | string[] }> }) {
  await requireInspectorPage()
  const { tools, modes } = await describeToolSet(await loadGate())
  const { tool } = await searchParams
  return (
    <>
      <PageHeader title="Try it">Calls run for real, through a session of the gate that is this page’s own.</PageHeader>
      <TryIt tools={tools} modes={modes} asked={typeof tool === 'string' ? tool : null} />
    </>
  )
}
