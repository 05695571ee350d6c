'use client'
import { useEffect, useState } from 'react'
import type { ToolResponse } from 'toolgate'
import type { PendingCard } from '@/lib/chat-message'
import { UNREACHED, reach, readRefusal, shownError } from '@/lib/read-error'
import { type Change, changesOf, outcomeOf, outcomeWords, refusalOf } from '@/lib/card-outcome'
import type { VoiceKey } from '@/lib/voice-key'
import type { Decision } from '@/components/ui/decision-buttons'
import { type CardStatus, ConfirmationCard } from './confirmation-card'

interface TextConfirmationCardProps {
  card: PendingCard
  /** The voice call whose session it belongs to, if any. */
  voice?: VoiceKey
  asker?: 'voice call'
  onAnswer?(): void
  /** `response` if the call ran, `null` if it will not run. */
  onSettled?(card: PendingCard, response: ToolResponse | null): void
  /** Sends a message of the user; absent while none can be sent. */
  onSend?(text: string): void
}

/** A confirmation card that is answered over HTTP. */
export function TextConfirmationCard({ card, voice, asker, onAnswer, onSettled, onSend }: TextConfirmationCardProps) {
  const [status, setStatus] = useState<CardStatus>({ phase: 'asking' })
  const [unsent, setUnsent] = useState<Unsent | null>(null)

  async function decide(decision: Decision, args?: Record<string, unknown>) {
    setStatus({ phase: 'sending' })
    setUnsent(null)
    onAnswer?.()
    const answer = { confirmationToken: card.token, decision, args, voice }
    const { status: settled, response } = await send(answer, card.args).catch((error: Error): Settled => {
      const { type, message } = shownError(error)
      // It may have arrived: the server runs nothing twice, and a repeated answer gets the outcome of the first.
      if (type === UNREACHED) setUnsent({ decision, args })
      const isLater = type === UNREACHED && !navigator.onLine
      return { status: { phase: 'asking', notice: isLater ? SENT_LATER : message } }
    })
    setStatus(settled)
    if (response !== undefined) onSettled?.(card, response)
  }

  useEffect(() => {
    if (unsent === null) return
    const again = () => void decide(unsent.decision, unsent.args)
    addEventListener('online', again, { once: true })
    return () => removeEventListener('online', again)
  }, [unsent])

  function expire() {
    if (status.phase !== 'asking') return
    setStatus({ phase: 'settled', heading: 'Expired', tone: 'neutral', text: 'Nothing was done.' })
    onSettled?.(card, null)
  }

  return (
    <ConfirmationCard
      question={card}
      asker={asker}
      status={status}
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
  args?: Record<string, unknown>
}

interface Settled {
  status: CardStatus
  /** Absent if nothing is known of the call. */
  response?: ToolResponse | null
}

interface Answer {
  confirmationToken: string
  decision: Decision
  args?: Record<string, unknown>
  voice?: VoiceKey
}

/** @param shown the arguments of the question */
async function send(body: Answer, shown: Record<string, unknown>): Promise<Settled> {
  const answer = await reach('/api/confirmations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) return failed(body, shown, answer, text)
  if (body.decision === 'deny') return { status: deniedStatus(JSON.parse(text)), response: null }
  const { response } = JSON.parse(text)
  const outcome = outcomeOf(response)
  const changes = changesIn(response, body, shown)
  return {
    status: { phase: 'settled', heading: 'Approved', tone: 'ok', text: outcomeWords(outcome.data), outcome, changes },
    response,
  }
}

const deniedStatus = ({ denied }: { denied: boolean }): CardStatus =>
  denied
    ? { phase: 'settled', heading: 'Denied', tone: 'neutral', text: 'Nothing was done.' }
    : { phase: 'settled', heading: 'Answered', tone: 'neutral', text: 'Was answered before, or has expired.' }

function failed(body: Answer, shown: Record<string, unknown>, answer: Response, text: string): Settled {
  const { decision, args } = body
  const response = responseIn(text)
  // Refused before the call: it is still pending.
  if (!response && PASSING.includes(answer.status))
    return { status: { phase: 'asking', notice: readRefusal(answer, text).message } }
  const refusal = args && refusalOf(text)
  if (refusal) return { status: { phase: 'asking', refusal } }
  const heading = decision === 'approve' && response?.meta?.attempts !== undefined ? 'Approved' : 'Answered'
  const outcome = response && outcomeOf(response)
  const changes = response && changesIn(response, body, shown)
  return {
    status: {
      phase: 'settled',
      heading,
      tone: 'stop',
      text: response?.error.message ?? readRefusal(answer, text).message,
      outcome,
      changes,
    },
    response,
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

function changesIn({ meta }: ToolResponse, { args }: Answer, shown: Record<string, unknown>): Change[] | undefined {
  // A call that was asked about again, after its changes, is approved without them.
  return meta?.edited && changesOf(meta.edited, shown, args ?? shown)
}
