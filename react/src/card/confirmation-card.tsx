'use client'
import { Hand, Quote, Square } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { NewGrant } from 'toolgate'
import { Badge } from '../controls/badge.js'
import { Button } from '../controls/button.js'
import type { Decision } from './decision-buttons.js'
import { argumentFields } from '../question/argument-fields.js'
import type { Refusal } from '../question/card-outcome.js'
import { type Wishes, previewAbove } from '../question/shown-question.js'
import { type AnswerForm, answerForm } from '../question/server-question.js'
import { visible } from '../text/visible-text.js'
import { ArgumentForm } from './argument-form.js'
import { ArgumentTable } from './argument-table.js'
import { CardActions } from './card-actions.js'
import type { CardStatus, Question } from './card-status.js'
import { useGroupMember } from './confirmation-group.js'
import { Deciders } from './deciders.js'
import { grantOf } from './grant-choice.js'
import { SettledOutcome } from './settled-outcome.js'
import { useArgumentEdit } from './use-argument-edit.js'
import { clockTime, useCountdown } from './use-countdown.js'

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
  const form = answerForm(question)
  const edit = useArgumentEdit(
    { ...(form ?? question), fields: fieldsOf(question, form), isForm: form !== null },
    refusal,
  )
  const [scope, setScope] = useState<NewGrant['scope'] | null>(null)
  const isOpen = status.phase === 'asking' || status.phase === 'sending'
  const isEditing = isOpen && edit.draft !== null
  useFocusOnRefusal(card, refusal)

  function decide(decision: Decision) {
    if (decision === 'deny') onDecide(decision, {})
    else if (isEditing && edit.hasProblem) return focusFirst(card.current, '[aria-invalid]')
    else if (form) onDecide(decision, { args: form.answered(edit.wanted.args) })
    else onDecide(decision, { args: isEditing && edit.isChanged ? edit.wanted.args : undefined, grant: grantOf(scope) })
    // The buttons disappear: move the focus to the question.
    card.current?.focus()
  }
  useGroupMember({ token: question.token, isOpen: status.phase === 'asking' && !approvers && !form, preview, decide })

  function toggleEdit() {
    if (isEditing) edit.cancel()
    else edit.begin()
    // Once the fields, or the table, are there.
    requestAnimationFrame(() => (isEditing ? card.current?.focus() : focusFirst(card.current, CONTROLS)))
  }

  const isSettled = status.phase === 'settled'
  const [isSending, shared] = [
    status.phase === 'sending',
    { question, edit, isEditing, isAnswer: form !== null, scope, onScope: setScope },
  ]
  return (
    <section
      ref={card}
      tabIndex={-1}
      data-toolgate="card"
      aria-label={`${asker ? 'Confirmation for your voice call' : 'Confirmation'}: ${nameOf(question)}`}
      data-phase={status.phase}
    >
      <header>
        <Hand size={15} aria-hidden="true" />
        <span>{headingOf(status, asker, question, form !== null)}</span>
        <code>{form ? 'Question of a server' : (title ?? tool)}</code>
        {!isSettled && <Remaining expires={question.expires} onExpire={onExpire} />}
      </header>
      <Asked
        {...{ question, isSettled, preview }}
        isChanged={!form && (isEditing ? edit.isChanged : hasChanges(status))}
      />
      {approvers && !isSettled && <Deciders approvers={approvers} confirmations={confirmations} />}
      {isEditing ? (
        <ArgumentForm edit={edit} problem={edit.problem} disabled={isSending} />
      ) : (
        form === null && <Arguments question={question} isSettled={isSettled} />
      )}
      <StatusLine status={status} />
      {status.phase === 'sending' && status.onStop && (
        <Button size="s" icon={<Square size={13} aria-hidden="true" />} onClick={status.onStop}>
          Stop
        </Button>
      )}
      {isSettled && <SettledOutcome {...status} title={title ?? tool} onSend={onSend} />}
      {isOpen && <CardActions {...shared} isSending={isSending} onEdit={toggleEdit} onDecide={decide} />}
    </section>
  )
}

/** Where its user may change the arguments. Of approvers, none is the user of this page. */
const fieldsOf = ({ approvers, ...question }: Question, form: AnswerForm | null) => {
  const { parameters, args } = form ?? question
  if (!parameters || approvers) return undefined
  const fields = argumentFields(parameters, args, visible.isVisible, form ? [] : question.sensitiveArguments)
  return form === null ? fields : fields.map(field => ({ ...field, titles: form.titlesOf(field.name) }))
}

/** What it asks, in a line: cards of one tool differ in it. */
const nameOf = ({ preview, rows }: Question): string => previewAbove(preview, rows).split('\n')[0] ?? ''

function useFocusOnRefusal(card: RefObject<HTMLElement | null>, refusal: Refusal | undefined) {
  useEffect(() => {
    if (refusal) focusFirst(card.current, '[aria-invalid], [role=alert]')
  }, [refusal])
}

function StatusLine({ status }: { status: CardStatus }) {
  const notice = noticeOf(status)
  const progress = status.phase === 'settled' || status.phase === 'sending' ? status.progress : undefined
  return (
    <div role="status" data-part="status">
      {status.phase === 'settled' ? <Badge tone={status.tone}>{status.text}</Badge> : notice && <span>{notice}</span>}
      {progress && (
        <span data-part="progress">
          {' '}
          <bdi>{progress}</bdi>
        </span>
      )}
    </div>
  )
}

function Arguments({ question: { args, rows }, isSettled }: Pick<AskedProps, 'question' | 'isSettled'>) {
  return (
    // Open also if the preview has the same values: words of a template can look like a value that it leaves out.
    <details data-part="arguments" open={!isSettled}>
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
      {isChanged && <p data-part="before">Asked before your changes:</p>}
      <p ref={place} data-part="preview" data-edited={isChanged || undefined} dir="auto">
        {previewAbove(preview, rows)}
      </p>
      {readBack && !repeats(readBack, preview) && !isSettled && (
        <p data-part="read-back">
          <Quote size={12} aria-hidden="true" />
          <span data-toolgate="unseen">Read back: </span>
          <bdi>{readBack}</bdi>
        </p>
      )}
    </>
  )
}

function noticeOf(status: CardStatus): string | undefined {
  if (status.phase === 'waiting') return status.text
  if (status.phase === 'sending') return status.notice ?? (status.isRunning ? 'It runs.' : undefined)
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

function headingOf(
  status: CardStatus,
  asker: ConfirmationCardProps['asker'],
  { approvers }: Question,
  isForm: boolean,
): string {
  if (status.phase === 'settled' && isForm) return status.heading === 'Approved' ? 'Answered' : status.heading
  if (status.phase === 'settled') return status.changes ? `${status.heading} with your changes` : status.heading
  if (approvers) return 'Others decide'
  if (asker) return 'Your voice call asks'
  return isForm ? 'A server asks' : 'Needs your consent'
}

function Remaining({ expires, onExpire }: { expires: number; onExpire(): void }) {
  const seconds = useCountdown(expires)
  useEffect(() => {
    if (seconds === 0) onExpire()
    // Announced once, when the time is over.
  }, [seconds === 0])
  return (
    <span data-part="remaining" role="timer" aria-label="Time left">
      {seconds === null ? '' : clockTime(seconds)}
    </span>
  )
}
