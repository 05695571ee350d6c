'use client'
import { useEffect, useRef, useState } from 'react'
import type { ToolResponse } from 'toolgate'
import { type ChatAddress, postTo } from '../chat/chat-api.js'
import type { PendingCard } from '../chat/chat-message.js'
import type { Settled } from '../chat/use-toolgate-chat.js'
import { UNREACHED, readRefusal, shownError } from '../text/read-error.js'
import {
  type Change,
  changesOf,
  isOutcomeUnknown,
  outcomeOf,
  outcomeWords,
  refusalOf,
} from '../question/card-outcome.js'
import type { VoiceKey } from '../voice/voice-key.js'
import type { Decision } from './decision-buttons.js'
import type { ClosedQuestion, Wishes } from '../question/shown-question.js'
import { NOT_KNOWN, closedStatus, deniedStatus, progressText } from '../question/closed-status.js'
import type { CardStatus } from './card-status.js'
import { ConfirmationCard } from './confirmation-card.js'
import { GRANTED } from './grant-choice.js'

interface TextConfirmationCardProps {
  address: ChatAddress
  card: PendingCard
  /** The voice call whose session it belongs to, if any. */
  voice?: VoiceKey
  /** What came of it elsewhere. */
  closed?: ClosedQuestion
  asker?: 'voice call'
  onAnswer?(): void
  /** An answer is being sent, or is not any more. */
  onSending?(token: string, isSending: boolean): void
  onSettled?(card: PendingCard, came: Settled): void
  /** Sends a message of the user; absent while none can be sent. */
  onSend?(text: string): void
}

/** A confirmation card that is answered over HTTP. */
export function TextConfirmationCard(props: TextConfirmationCardProps) {
  const { address, card, voice, closed, asker, onAnswer, onSettled, onSending, onSend } = props
  const [status, setStatus] = useState<CardStatus>({ phase: 'asking' })
  const [unsent, setUnsent] = useState<Unsent | null>(null)
  const isAnswered = useRef(false)

  async function decide(decision: Decision, wishes: Wishes) {
    // A second click can come before the buttons are gone.
    if (isAnswered.current) return
    isAnswered.current = true
    setStatus(decision === 'approve' ? running() : { phase: 'sending' })
    setUnsent(null)
    onAnswer?.()
    onSending?.(card.token, true)
    const answer = { confirmationToken: card.token, decision, ...wishes, voice }
    const { status: settled, came } = await send(address, answer, card).catch((error: Error): Sent => {
      const { type, message } = shownError(error)
      // It may have arrived: the server runs nothing twice, and a repeated answer gets the outcome of the first.
      if (type === UNREACHED) setUnsent({ decision, wishes })
      const isLater = type === UNREACHED && !navigator.onLine
      return { status: { phase: 'asking', notice: isLater ? SENT_LATER : message } }
    })
    isAnswered.current = settled.phase !== 'asking'
    setStatus(settled)
    if (came !== undefined) onSettled?.(card, came)
    onSending?.(card.token, false)
  }

  useEffect(() => {
    if (unsent === null) return
    const again = () => void decide(unsent.decision, unsent.wishes)
    addEventListener('online', again, { once: true })
    return () => removeEventListener('online', again)
  }, [unsent])

  function running(notice?: string): CardStatus {
    const { callId } = card
    return {
      phase: 'sending',
      isRunning: true,
      notice,
      onStop: callId === null || notice || !card.canStop ? undefined : () => stop(callId),
    }
  }

  function stop(callId: string) {
    setStatus(running('It is being stopped.'))
    void postTo(address, 'calls/cancel', { callId, voice })
      .then(async answer => answer.ok && (await answer.json()).cancelled === true)
      .catch(() => false)
      .then(isStopped => {
        // The answer of the call may be here already.
        if (!isStopped) setStatus(now => (now.phase === 'sending' ? running('It cannot be stopped any more.') : now))
      })
  }

  function expire() {
    if (status.phase !== 'asking' || closed) return
    setStatus({ phase: 'settled', heading: 'Expired', tone: 'neutral', text: 'Nothing was done.' })
    onSettled?.(card, 'expired')
  }

  return (
    <ConfirmationCard
      question={card}
      asker={asker}
      status={statusNow(status, closed, card)}
      onDecide={decide}
      onExpire={expire}
      onSend={onSend}
    />
  )
}

const SENT_LATER = 'You are offline. Your answer is sent once you are connected.'

/** An answer of the user that the server may not have. */
interface Unsent {
  decision: Decision
  wishes: Wishes
}

interface Sent {
  status: CardStatus
  /** Absent if nothing is known of the call. */
  came?: Settled
}

/** What this page knows, and what the server says of a question that was answered elsewhere, or whose call runs. */
function statusNow(status: CardStatus, closed: ClosedQuestion | undefined, card: PendingCard): CardStatus {
  if (closed === undefined) return status
  if (status.phase === 'asking') return closedStatus(closed, card)
  if (closed.outcome !== 'running' || status.phase !== 'sending') return status
  return { ...status, progress: progressText(closed.progress) ?? undefined }
}

interface SentAnswer extends Wishes {
  confirmationToken: string
  decision: Decision
  voice?: VoiceKey
}

async function send(address: ChatAddress, body: SentAnswer, card: PendingCard): Promise<Sent> {
  const { args: shown } = card
  const answer = await postTo(address, 'confirmations', body)
  const received = await answer.text()
  if (!answer.ok) return failed(body, shown, answer, received)
  if (body.decision === 'deny') return { status: deniedStatus(JSON.parse(received), card), came: 'denied' }
  const { response } = JSON.parse(received)
  const outcome = outcomeOf(response)
  const changes = changesIn(response, body, shown)
  const text = `${outcomeWords(outcome.data)}${body.grant ? GRANTED : ''}`
  return { status: { phase: 'settled', heading: 'Approved', tone: 'ok', text, outcome, changes }, came: response }
}

function failed(body: SentAnswer, shown: Record<string, unknown>, answer: Response, text: string): Sent {
  const { decision, args, grant } = body
  const response = responseIn(text)
  // Refused before the call: it is still pending.
  if (!response && PASSING.includes(answer.status))
    return { status: { phase: 'asking', notice: readRefusal(answer, text).message } }
  const refusal = (args ?? grant) && refusalOf(text)
  if (refusal) return { status: { phase: 'asking', refusal } }
  const heading = decision === 'approve' && response?.meta?.attempts !== undefined ? 'Approved' : 'Answered'
  const outcome = response && outcomeOf(response)
  const changes = response && changesIn(response, body, shown)
  const isNotKnown = response !== undefined && isOutcomeUnknown(response)
  return {
    status: {
      phase: 'settled',
      heading,
      tone: isNotKnown ? 'ask' : 'stop',
      text: isNotKnown ? NOT_KNOWN : (response?.error.message ?? readRefusal(answer, text).message),
      outcome,
      changes,
    },
    came: response,
  }
}

/** Statuses of a server that takes the answer later. */
const PASSING = [429, 500, 502, 503, 504]

/** The answer of the call. */
function responseIn(text: string): (ToolResponse & { ok: false }) | undefined {
  try {
    return JSON.parse(text).response
  } catch {
    return undefined
  }
}

function changesIn({ meta }: ToolResponse, { args }: SentAnswer, shown: Record<string, unknown>): Change[] | undefined {
  // A call that was asked about again, after its changes, is approved without them.
  return meta?.edited && changesOf(meta.edited, shown, args ?? shown)
}
