'use client'
import { Button } from '@/components/ui/button'
import { useToast } from '@/components/ui/toast'
import styles from './try-it.module.css'
import type { SessionUsage } from 'toolgate'
import type { TrySession } from './use-try-session'

/** The inspector's session, which counts budgets, loops and replays. */
export function SessionBar({ session: { turn, usage, pending, isRunning, beginTurn, end } }: { session: TrySession }) {
  const tell = useToast()
  const orTell = (act: () => Promise<void>) => void act().catch((error: Error) => tell(error.message, 'stop'))
  return (
    <div className={styles.session}>
      <p>
        {turn === 0 ? (
          'No session yet: the first call begins one.'
        ) : (
          <>
            Session, turn <strong>{turn}</strong>
            {pending.length > 0 && `, ${pending.length} waiting`}
            {usage !== null && `. ${usageText(usage)}`}
          </>
        )}
      </p>
      <div className={styles.examples}>
        <Button size="s" disabled={isRunning} onClick={() => orTell(beginTurn)}>
          Begin a turn
        </Button>
        <Button size="s" variant="quiet" disabled={isRunning || turn === 0} onClick={() => orTell(end)}>
          End the session
        </Button>
      </div>
    </div>
  )
}

/** What the answers cost the model's context, and what the loop guard saw. */
function usageText({ contextTokens, turnContextTokens, loops }: SessionUsage): string {
  const tokens = `Answers: about ${contextTokens.toLocaleString('en')} tokens, ${turnContextTokens.toLocaleString('en')} in this turn`
  return loops === 0 ? tokens : `${tokens}; ${loops} repeated ${loops === 1 ? 'call' : 'calls'}`
}
