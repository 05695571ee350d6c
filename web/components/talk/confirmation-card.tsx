'use client'
import { Hand, Quote } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Badge, type Tone } from '@/components/ui/badge'
import { type Decision, DecisionButtons } from '@/components/ui/decision-buttons'
import { classNames } from '@/lib/class-names'
import { type ArgumentRows, previewAbove, saysAll } from '@/lib/shown-question'
import { ArgumentTable } from './argument-table'
import styles from './confirmation-card.module.css'
import { FieldTable } from './field-table'
import { SlotPicker } from './slot-picker'
import { clockTime, useCountdown } from './use-countdown'

export type CardStatus =
  | { phase: 'asking' }
  | { phase: 'sending' }
  /** Cannot be answered now, for this reason. */
  | { phase: 'waiting'; text: string }
  | { phase: 'settled'; heading: SettledHeading; tone: Tone; text: string; outcome?: Outcome }

export type SettledHeading = 'Approved' | 'Denied' | 'Expired' | 'Answered' | 'Outcome unknown'

/** What an approved call came to: the members of its result, or the free times that its refusal offers. */
export interface Outcome {
  data?: unknown
  freeTimes?: { start: string; end: string }[]
}

export interface Question {
  tool: string
  title?: string
  preview: string
  args: Record<string, unknown>
  /** The arguments as the core shows them; absent if the server no longer has the tool. */
  rows?: ArgumentRows
  /** Epoch milliseconds. */
  expires: number
  /** The read-back text given to the model. */
  readBack?: string
}

interface ConfirmationCardProps {
  question: Question
  /** The asker, if it is not the answer that contains the card. */
  asker?: 'voice call'
  status: CardStatus
  onDecide(decision: Decision): void
  onExpire(): void
  /** Sends a message of the user; absent while none can be sent. */
  onSend?(text: string): void
}

/** A call that waits for the user's consent; an approval runs exactly what is shown. */
export function ConfirmationCard({ question, asker, status, onDecide, onExpire, onSend }: ConfirmationCardProps) {
  const card = useRef<HTMLElement>(null)
  const { tool, title, preview, args, rows, readBack } = question
  // Arguments that the preview already has stand behind the summary.
  const isSaid = rows !== undefined && saysAll(preview, rows)

  function decide(decision: Decision) {
    // The buttons disappear: move the focus to the question.
    card.current?.focus()
    onDecide(decision)
  }

  return (
    <section
      ref={card}
      tabIndex={-1}
      className={classNames(styles.card, status.phase === 'settled' && styles.settled)}
      aria-label={asker ? 'Confirmation for your voice call' : 'Confirmation'}
      data-phase={status.phase}
    >
      <header className={styles.header}>
        <Hand size={15} aria-hidden="true" />
        <span>{headingOf(status, asker)}</span>
        <code>{title ?? tool}</code>
        {status.phase !== 'settled' && <Remaining expires={question.expires} onExpire={onExpire} />}
      </header>
      <p className={styles.preview}>{previewAbove(preview, rows)}</p>
      {readBack && !repeats(readBack, preview) && status.phase !== 'settled' && (
        <p className={styles.readBack}>
          <Quote size={12} aria-hidden="true" />
          <span className="visually-hidden">Read back: </span>
          {readBack}
        </p>
      )}
      <details className={styles.args} open={status.phase !== 'settled' && !isSaid}>
        <summary>{status.phase === 'settled' ? 'What was asked' : 'What will be done'}</summary>
        <ArgumentTable args={args} rows={rows} />
      </details>
      <footer className={styles.footer} role="status">
        {status.phase === 'settled' ? (
          <Badge tone={status.tone}>{status.text}</Badge>
        ) : (
          status.phase === 'waiting' && <span>{status.text}</span>
        )}
      </footer>
      {status.phase === 'settled' && status.outcome && (
        <SettledOutcome outcome={status.outcome} title={title ?? tool} onSend={onSend} />
      )}
      {(status.phase === 'asking' || status.phase === 'sending') && (
        <DecisionButtons className={styles.actions} disabled={status.phase === 'sending'} onDecide={decide} />
      )}
    </section>
  )
}

/** A read-back that is the preview and the question: it is heard, and need not be read as well. */
const repeats = (readBack: string, preview: string): boolean =>
  readBack.replace(/\.? Shall I do that\?$/, '') === preview.replace(/\.$/, '')

function headingOf(status: CardStatus, asker: ConfirmationCardProps['asker']): string {
  if (status.phase === 'settled') return status.heading
  return asker ? 'Your voice call asks' : 'Needs your consent'
}

function SettledOutcome({
  outcome,
  title,
  onSend,
}: { outcome: Outcome; title: string } & Pick<ConfirmationCardProps, 'onSend'>) {
  const { data, freeTimes = [] } = outcome
  return (
    <div className={styles.outcome}>
      {data !== undefined && <FieldTable caption="Result" value={data} />}
      {freeTimes.length > 0 && (
        <SlotPicker choice={{ title: `Free times for: ${title}`, slots: freeTimes, time_zone: '' }} onPick={onSend} />
      )}
    </div>
  )
}

function Remaining({ expires, onExpire }: { expires: number; onExpire(): void }) {
  const seconds = useCountdown(expires)
  useEffect(() => {
    if (seconds === 0) onExpire()
    // Announced once, when the time is over.
  }, [seconds === 0])
  return (
    <span className={styles.remaining} role="timer" aria-label="Time left">
      {seconds === null ? '' : clockTime(seconds)}
    </span>
  )
}
