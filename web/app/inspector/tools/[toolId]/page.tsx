import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { ToolView } from '@/components/inspector/tools/tool-view'
import { loadGate } from '@/lib/gate'
import { requireInspectorPage } from '@/lib/inspector/page-access'
import { describeTool } from '@/lib/inspector/tool-set'

interface ToolPageProps {
  params: Promise<{ toolId: string }>
}

export async function generateMetadata({ params }: ToolPageProps): Promise<Metadata> {
  return { title: (await params).toolId }
}

export default async function ToolPage({ params }: ToolPageProps) {
  await requireInspectorPage()
  const tool = await describeTool(await loadGate(), (await params).toolId)
  if (tool === null) notFound()
  return <ToolView tool={tool} />
}
