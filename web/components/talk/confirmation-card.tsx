'use client'
import { Hand, Pencil, Quote, Undo2 } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Badge, type Tone } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { type Decision, DecisionButtons } from '@/components/ui/decision-buttons'
import { classNames } from '@/lib/class-names'
import type { Change } from '@/lib/card-outcome'
import type { ArgumentField } from '@/lib/argument-fields'
import { type ArgumentRows, previewAbove } from '@/lib/shown-question'
import { ArgumentForm } from './argument-form'
import { ArgumentTable } from './argument-table'
import styles from './confirmation-card.module.css'
import { SettledOutcome } from './settled-outcome'
import { useArgumentEdit } from './use-argument-edit'
import { clockTime, useCountdown } from './use-countdown'

export type CardStatus =
  /** `refusal`: of the changes that were sent; nothing has run. `notice`: why the answer did not arrive. */
  | { phase: 'asking'; refusal?: Refusal; notice?: string }
  | { phase: 'sending' }
  /** Cannot be answered now, for this reason. */
  | { phase: 'waiting'; text: string }
  | { phase: 'settled'; heading: SettledHeading; tone: Tone; text: string; outcome?: Outcome; changes?: Change[] }

/** Why the gate refused a user's changes. */
export interface Refusal {
  /** Argument → what is wrong with it. */
  fields: Record<string, string>
  /** What is wrong with no single argument. */
  message?: string
}

export type SettledHeading = 'Approved' | 'Denied' | 'Expired' | 'Answered'

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
  /** Where its user may change the arguments; absent if they may not here. */
  fields?: ArgumentField[]
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
  /** `args`: of an approval with changes. */
  onDecide(decision: Decision, args?: Record<string, unknown>): void
  onExpire(): void
  /** Sends a message of the user; absent while none can be sent. */
  onSend?(text: string): void
}

/** A call that waits for the user's consent; an approval runs exactly what is shown, or what its user has made of it. */
export function ConfirmationCard({ question, asker, status, onDecide, onExpire, onSend }: ConfirmationCardProps) {
  const card = useRef<HTMLElement>(null)
  const { tool, title } = question
  const refusal = status.phase === 'asking' ? status.refusal : undefined
  const edit = useArgumentEdit(question, refusal)
  const isOpen = status.phase === 'asking' || status.phase === 'sending'
  const isEditing = isOpen && edit.draft !== null

  useEffect(() => {
    if (refusal) focusFirst(card.current, '[aria-invalid], [role=alert]')
  }, [refusal])

  function decide(decision: Decision) {
    if (decision === 'approve' && isEditing && edit.hasProblem) return focusFirst(card.current, '[aria-invalid]')
    // The buttons disappear: move the focus to the question.
    card.current?.focus()
    onDecide(decision, decision === 'approve' && isEditing && edit.isChanged ? edit.wanted.args : undefined)
  }

  function toggleEdit() {
    if (isEditing) edit.cancel()
    else edit.begin()
    // Once the fields, or the table, are there.
    requestAnimationFrame(() => (isEditing ? card.current?.focus() : focusFirst(card.current, CONTROLS)))
  }

  const isSettled = status.phase === 'settled'
  return (
    <section
      ref={card}
      tabIndex={-1}
      className={classNames(styles.card, isSettled && styles.settled)}
      aria-label={asker ? 'Confirmation for your voice call' : 'Confirmation'}
      data-phase={status.phase}
    >
      <header className={styles.header}>
        <Hand size={15} aria-hidden="true" />
        <span>{headingOf(status, asker)}</span>
        <code>{title ?? tool}</code>
        {!isSettled && <Remaining expires={question.expires} onExpire={onExpire} />}
      </header>
      <Asked question={question} isSettled={isSettled} isChanged={isEditing ? edit.isChanged : hasChanges(status)} />
      {isEditing ? (
        <ArgumentForm edit={edit} problem={edit.problem} disabled={status.phase === 'sending'} />
      ) : (
        // Open also if the preview has the same values: words of a template can look like a value that it leaves out.
        <details className={styles.args} open={!isSettled}>
          <summary>{isSettled ? 'What was asked' : 'What will be done'}</summary>
          <ArgumentTable args={question.args} rows={question.rows} />
        </details>
      )}
      <footer className={styles.footer} role="status">
        {isSettled ? (
          <Badge tone={status.tone}>{status.text}</Badge>
        ) : (
          noticeOf(status) && <span>{noticeOf(status)}</span>
        )}
      </footer>
      {isSettled && <SettledOutcome {...status} title={title ?? tool} onSend={onSend} />}
      {isOpen && (
        <DecisionButtons
          className={styles.actions}
          label={isEditing && edit.isChanged ? 'Approve changes' : 'Approve'}
          disabled={status.phase === 'sending'}
          onDecide={decide}
        >
          {edit.isPossible && (
            <EditButton isEditing={isEditing} disabled={status.phase === 'sending'} onClick={toggleEdit} />
          )}
        </DecisionButtons>
      )}
    </section>
  )
}

interface AskedProps {
  question: Question
  isSettled: boolean
  /** Whether the user has made something else of it. */
  isChanged: boolean
}

function Asked({ question: { preview, rows, readBack }, isSettled, isChanged }: AskedProps) {
  return (
    <>
      {isChanged && <p className={styles.before}>Asked before your changes:</p>}
      <p className={classNames(styles.preview, isChanged && styles.changed)} dir="auto">
        {previewAbove(preview, rows)}
      </p>
      {readBack && !repeats(readBack, preview) && !isSettled && (
        <p className={styles.readBack}>
          <Quote size={12} aria-hidden="true" />
          <span className="visually-hidden">Read back: </span>
          <bdi>{readBack}</bdi>
        </p>
      )}
    </>
  )
}

interface EditButtonProps {
  isEditing: boolean
  disabled: boolean
  onClick(): void
}

function EditButton({ isEditing, ...rest }: EditButtonProps) {
  const Icon = isEditing ? Undo2 : Pencil
  return (
    <Button variant="quiet" icon={<Icon size={15} aria-hidden="true" />} {...rest}>
      {isEditing ? 'Discard changes' : 'Edit'}
    </Button>
  )
}

function noticeOf(status: CardStatus): string | undefined {
  if (status.phase === 'waiting') return status.text
  return status.phase === 'asking' ? status.notice : undefined
}

const hasChanges = (status: CardStatus): boolean => status.phase === 'settled' && status.changes !== undefined

const CONTROLS = ':is(input, select, textarea):not([readonly])'

function focusFirst(card: HTMLElement | null, selector: string) {
  const found = card?.querySelector<HTMLElement>(selector)
  ;(found ?? card)?.focus()
}

/** A read-back that is the preview and the question: it is heard, and need not be read as well. */
const repeats = (readBack: string, preview: string): boolean =>
  readBack.replace(/\.? Shall I do that\?$/, '') === preview.replace(/\.$/, '')

function headingOf(status: CardStatus, asker: ConfirmationCardProps['asker']): string {
  if (status.phase === 'settled') return status.changes ? `${status.heading} with your changes` : status.heading
  return asker ? 'Your voice call asks' : 'Needs your consent'
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
