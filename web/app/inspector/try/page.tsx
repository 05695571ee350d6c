import type { Metadata } from 'next'
import { PageHead } from '@/components/inspector/page-head'
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
      <PageHead title="Try it">Calls run for real, through a session of the gate that is this page’s own.</PageHead>
      <TryIt tools={tools} modes={modes} asked={typeof tool === 'string' ? tool : null} />
    </>
  )
}
