import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { PageHeader } from '@/components/inspector/page-header'
import { RunNotes } from '@/components/inspector/sessions/run-notes'
import { SessionList } from '@/components/inspector/sessions/session-list'
import { requireInspectorPage } from '@/lib/inspector/page-access'
import { parameterOf, placeHref } from '@/lib/inspector/run-links'
import { readRuns } from '@/lib/inspector/run-store'
import { search, sessionsOfCall } from '@/lib/inspector/runs'

export const metadata: Metadata = { title: 'Sessions' }

interface PageProps {
  /** `search`: what is sought; `call`: the id of a call, whose page opens if it is of one session. */
  searchParams: Promise<{ search?: string | string[]; call?: string | string[] }>
}

export default async function SessionsPage({ searchParams }: PageProps) {
  await requireInspectorPage()
  const given = await searchParams
  const { sessions, notes } = await readRuns()
  const callId = parameterOf(given.call)
  const [only, ...others] = callId === '' ? [] : sessionsOfCall(sessions, callId)
  if (only && others.length === 0) redirect(placeHref(only.sessionId, callId))
  const sought = callId || parameterOf(given.search)
  return (
    <>
      <PageHeader title="Sessions">What was asked of the tools, by text and by voice, and what came of it.</PageHeader>
      <RunNotes notes={notes} />
      <SessionList found={search(sessions, sought)} all={sessions.length} sought={sought} />
    </>
  )
}
