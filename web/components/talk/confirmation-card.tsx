'use client'
import { Hand, Quote } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { NewGrant } from 'toolgate'
import { Badge, type Tone } from '@/components/ui/badge'
import type { Decision } from '@/components/ui/decision-buttons'
import { classNames } from '@/lib/class-names'
import type { Change, Refusal } from '@/lib/card-outcome'
import type { ArgumentField } from '@/lib/argument-fields'
import { type ArgumentRows, type Wishes, previewAbove } from '@/lib/shown-question'
import { ArgumentForm } from './argument-form'
import { ArgumentTable } from './argument-table'
import { CardActions } from './card-actions'
import styles from './confirmation-card.module.css'
import { useGroupMember } from './confirmation-group'
import { Deciders } from './deciders'
import { grantOf } from './grant-choice'
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

export type SettledHeading = 'Approved' | 'Denied' | 'Withdrawn' | 'Expired' | 'Answered'

/** What an approved call came to: the members of its result, or the free times that its refusal offers. */
export interface Outcome {
  data?: unknown
  freeTimes?: { start: string; end: string }[]
}

export interface Question {
  token: string
  tool: string
  title?: string
  preview: string
  args: Record<string, unknown>
  /** The arguments as the core shows them; absent if the server no longer has the tool. */
  rows?: ArgumentRows
  /** Where its user may change the arguments; absent if they may not here. */
  fields?: ArgumentField[]
  /** Who decides in place of its user, and how many of them have confirmed. */
  approvers?: { roles: string[]; count: number }
  confirmations?: number
  /** The widest grant that the user can give with an approval. */
  grantable?: NewGrant['scope']
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
  onDecide(decision: Decision, wishes: Wishes): void
  onExpire(): void
  /** Sends a message of the user; absent while none can be sent. */
  onSend?(text: string): void
}

/** A call that waits for consent; an approval runs exactly what is shown, or what its user has made of it. */
export function ConfirmationCard({ question, asker, status, onDecide, onExpire, onSend }: ConfirmationCardProps) {
  const card = useRef<HTMLElement>(null)
  const preview = useRef<HTMLParagraphElement>(null)
  const { tool, title, approvers, confirmations } = question
  const refusal = status.phase === 'asking' ? status.refusal : undefined
  const edit = useArgumentEdit(question, refusal)
  const [scope, setScope] = useState<NewGrant['scope'] | null>(null)
  const isOpen = status.phase === 'asking' || status.phase === 'sending'
  const isEditing = isOpen && edit.draft !== null
  useFocusOnRefusal(card, refusal)

  function decide(decision: Decision) {
    if (decision === 'deny') onDecide(decision, {})
    else if (isEditing && edit.hasProblem) return focusFirst(card.current, '[aria-invalid]')
    else onDecide(decision, { args: isEditing && edit.isChanged ? edit.wanted.args : undefined, grant: grantOf(scope) })
    // The buttons disappear: move the focus to the question.
    card.current?.focus()
  }
  useGroupMember({ token: question.token, isOpen: status.phase === 'asking' && !approvers, preview, decide })

  function toggleEdit() {
    if (isEditing) edit.cancel()
    else edit.begin()
    // Once the fields, or the table, are there.
    requestAnimationFrame(() => (isEditing ? card.current?.focus() : focusFirst(card.current, CONTROLS)))
  }

  const isSettled = status.phase === 'settled'
  const [isSending, shared] = [status.phase === 'sending', { question, edit, isEditing, scope, onScope: setScope }]
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
        <span>{headingOf(status, asker, question)}</span>
        <code>{title ?? tool}</code>
        {!isSettled && <Remaining expires={question.expires} onExpire={onExpire} />}
      </header>
      <Asked {...{ question, isSettled, preview }} isChanged={isEditing ? edit.isChanged : hasChanges(status)} />
      {approvers && !isSettled && <Deciders approvers={approvers} confirmations={confirmations} />}
      {isEditing ? (
        <ArgumentForm edit={edit} problem={edit.problem} disabled={isSending} />
      ) : (
        <Arguments question={question} isSettled={isSettled} />
      )}
      <StatusLine status={status} />
      {isSettled && <SettledOutcome {...status} title={title ?? tool} onSend={onSend} />}
      {isOpen && <CardActions {...shared} isSending={isSending} onEdit={toggleEdit} onDecide={decide} />}
    </section>
  )
}

function useFocusOnRefusal(card: RefObject<HTMLElement | null>, refusal: Refusal | undefined) {
  useEffect(() => {
    if (refusal) focusFirst(card.current, '[aria-invalid], [role=alert]')
  }, [refusal])
}

function StatusLine({ status }: { status: CardStatus }) {
  const notice = noticeOf(status)
  return (
    <footer className={styles.footer} role="status">
      {status.phase === 'settled' ? <Badge tone={status.tone}>{status.text}</Badge> : notice && <span>{notice}</span>}
    </footer>
  )
}

function Arguments({ question: { args, rows }, isSettled }: Pick<AskedProps, 'question' | 'isSettled'>) {
  return (
    // Open also if the preview has the same values: words of a template can look like a value that it leaves out.
    <details className={styles.args} open={!isSettled}>
      <summary>{isSettled ? 'What was asked' : 'What will be done'}</summary>
      <ArgumentTable args={args} rows={rows} />
    </details>
  )
}

interface AskedProps {
  question: Question
  isSettled: boolean
  /** Whether the user has made something else of it. */
  isChanged: boolean
  preview: RefObject<HTMLParagraphElement | null>
}

function Asked({ question, isSettled, isChanged, preview: place }: AskedProps) {
  const { preview, rows, readBack } = question
  return (
    <>
      {isChanged && <p className={styles.before}>Asked before your changes:</p>}
      <p ref={place} className={classNames(styles.preview, isChanged && styles.changed)} dir="auto">
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

function headingOf(status: CardStatus, asker: ConfirmationCardProps['asker'], { approvers }: Question): string {
  if (status.phase === 'settled') return status.changes ? `${status.heading} with your changes` : status.heading
  if (approvers) return 'Others decide'
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
