'use client'
import { useState } from 'react'
import type { ToolResponse } from 'toolgate'
import type { PendingCard } from '@/lib/chat-message'
import { readError } from '@/lib/read-error'
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

  async function decide(decision: Decision, args?: Record<string, unknown>) {
    setStatus({ phase: 'sending' })
    onAnswer?.()
    const unknown: CardStatus = {
      phase: 'settled',
      heading: 'Outcome unknown',
      tone: 'stop',
      text: 'The server could not be reached; nothing is known of the outcome.',
    }
    const { status: settled, response } = await send(
      { confirmationToken: card.token, decision, args, voice },
      card.args,
    ).catch(() => ({
      status: unknown,
      response: undefined,
    }))
    setStatus(settled)
    if (response !== undefined) onSettled?.(card, response)
  }

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
  const answer = await fetch('/api/confirmations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) return failed(body, shown, text)
  if (body.decision === 'deny')
    return {
      status: { phase: 'settled', heading: 'Denied', tone: 'neutral', text: 'Nothing was done.' },
      response: null,
    }
  const { response } = JSON.parse(text)
  const outcome = outcomeOf(response)
  const changes = changesIn(response, body, shown)
  return {
    status: { phase: 'settled', heading: 'Approved', tone: 'ok', text: outcomeWords(outcome.data), outcome, changes },
    response,
  }
}

function failed(body: Answer, shown: Record<string, unknown>, text: string): Settled {
  const { decision, args } = body
  const { response } = JSON.parse(text)
  const refusal = args && refusalOf(text)
  if (refusal) return { status: { phase: 'asking', refusal } }
  const heading = decision === 'approve' && response?.meta?.attempts !== undefined ? 'Approved' : 'Answered'
  const outcome = response && outcomeOf(response)
  const changes = response && changesIn(response, body, shown)
  return {
    status: { phase: 'settled', heading, tone: 'stop', text: readError(text).message, outcome, changes },
    response,
  }
}

function changesIn({ meta }: ToolResponse, { args }: Answer, shown: Record<string, unknown>): Change[] | undefined {
  // A call that was asked about again, after its changes, is approved without them.
  return meta?.edited && changesOf(meta.edited, shown, args ?? shown)
}
