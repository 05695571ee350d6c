import type { Metadata } from 'next'
import { PageHeader } from '@/components/inspector/page-header'
import { RunNotes } from '@/components/inspector/sessions/run-notes'
import { SessionView } from '@/components/inspector/sessions/session-view'
import { EmptyState } from '@/components/ui/empty-state'
import { requireInspectorPage } from '@/lib/inspector/page-access'
import { parameterOf } from '@/lib/inspector/run-links'
import { readRuns } from '@/lib/inspector/run-store'
import { visible } from 'toolgate-react/parts'

export const metadata: Metadata = { title: 'Session' }

interface PageProps {
  /** `id` of the session; `call`: the one that is looked for. */
  searchParams: Promise<{ id?: string | string[]; call?: string | string[] }>
}

export default async function SessionPage({ searchParams }: PageProps) {
  await requireInspectorPage()
  const given = await searchParams
  const id = parameterOf(given.id)
  const { sessions, notes } = await readRuns()
  const session = sessions.find(({ sessionId }) => sessionId === id)
  return (
    <>
      <PageHeader title="Session">
        <code>{visible.text(id.slice(0, 200)) || 'none is named'}</code>
      </PageHeader>
      <RunNotes notes={notes} />
      {session ? (
        <SessionView session={session} sessions={sessions} callId={parameterOf(given.call)} />
      ) : (
        <EmptyState title="No such session is known">
          <p>Its lines may be in an older file, or were kept by a server that has ended.</p>
        </EmptyState>
      )}
    </>
  )
}
