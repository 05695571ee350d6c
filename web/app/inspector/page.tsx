import type { Metadata } from 'next'
import { PageHeader } from '@/components/inspector/page-header'
import { ToolBrowser } from '@/components/inspector/tools/tool-browser'
import { loadGate } from '@/lib/gate'
import { requireInspectorPage } from '@/lib/inspector/page-access'
import { describeToolSet } from '@/lib/inspector/tool-set'

export const metadata: Metadata = { title: 'Tools' }

export default async function ToolsPage() {
  await requireInspectorPage()
  const { tools } = await describeToolSet(await loadGate())
  return (
    <>
      <PageHeader title="Tools">What a model can call, and what the gate knows of it.</PageHeader>
      <ToolBrowser tools={tools} />
    </>
  )
}
