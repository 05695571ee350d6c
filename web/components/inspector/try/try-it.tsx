'use client'
import { useEffect, useRef, useState } from 'react'
import { EmptyState } from '@/components/ui/empty-state'
import type { ToolSummary } from '@/lib/inspector/tool-view'
import { CallEditor } from './call-editor'
import { PendingCards } from './pending-cards'
import { SessionBar } from './session-bar'
import { TrialHistory } from './trial-history'
import { TrialView } from './trial-view'
import styles from './try-it.module.css'
import { rolesIn, useCallDraft } from './use-call-draft'
import { useTrySession } from './use-try-session'

interface TryItProps {
  tools: ToolSummary[]
  modes: string[]
  /** The tool id of the page's address. */
  asked: string | null
}

/** The page for writing and running calls. */
export function TryIt({ tools, modes, asked }: TryItProps) {
  const draft = useCallDraft(tools.find(({ toolId }) => toolId === asked)?.toolId ?? tools[0]?.toolId ?? '')
  const session = useTrySession()
  const [shown, setShown] = useState<number | null>(null)
  const answer = useRef<HTMLElement>(null)
  const newest = session.trials[0]
  const trial = session.trials.find(({ number }) => number === shown) ?? newest

  useEffect(() => {
    // Scrolls to the answer if it is below the call.
    if (newest) answer.current?.scrollIntoView({ block: 'nearest' })
  }, [newest])

  function run() {
    setShown(null)
    void session.call(draft.toCall())
  }
  return (
    <div className={styles.layout} data-form={draft.isReady} data-session={session.isKnown}>
      <CallEditor
        draft={draft}
        tools={tools}
        modes={modes}
        isRunning={session.isRunning}
        onRun={run}
        onCancel={() => void session.cancel()}
      />
      <section className={styles.answers} ref={answer} aria-label="Answers">
        <SessionBar session={session} />
        <PendingCards session={session} roles={rolesIn(draft.settings.roles)} onDecided={() => setShown(null)} />
        {trial ? (
          <TrialView key={trial.number} trial={trial} />
        ) : (
          <EmptyState title="No call yet">
            <p>The answer of a call stands here: the whole ToolResponse, as a model would get it.</p>
          </EmptyState>
        )}
        <TrialHistory trials={session.trials} shown={trial?.number} onShow={setShown} />
      </section>
    </div>
  )
}
