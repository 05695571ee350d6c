'use client'
import { useState } from 'react'
import type { ToolResponse } from 'toolgate'
import type { PendingCard } from '@/lib/chat-message'
import { readError } from '@/lib/read-error'
import type { VoiceKey } from '@/lib/voice-key'
import { type CardStatus, ConfirmationCard, type Decision } from './confirmation-card'

interface TextConfirmationCardProps {
  card: PendingCard
  /** The voice call whose session it belongs to, if any. */
  voice?: VoiceKey
  asker?: 'voice call'
  onAnswer?(): void
  /** `response` if the call ran, `null` if it will not run. */
  onSettled?(card: PendingCard, response: ToolResponse | null): void
}

/** A confirmation card that is answered over HTTP. */
export function TextConfirmationCard({ card, voice, asker, onAnswer, onSettled }: TextConfirmationCardProps) {
  const [status, setStatus] = useState<CardStatus>({ phase: 'asking' })

  async function decide(decision: Decision) {
    setStatus({ phase: 'sending' })
    onAnswer?.()
    const unknown: CardStatus = {
      phase: 'settled',
      tone: 'stop',
      text: 'The server could not be reached; nothing is known of the outcome.',
    }
    const { status: settled, response } = await send(card.token, decision, voice).catch(() => ({
      status: unknown,
      response: undefined,
    }))
    setStatus(settled)
    if (response !== undefined) onSettled?.(card, response)
  }

  function expire() {
    if (status.phase !== 'asking') return
    setStatus({ phase: 'settled', tone: 'neutral', text: 'Expired; nothing was done.' })
    onSettled?.(card, null)
  }

  return <ConfirmationCard question={card} asker={asker} status={status} onDecide={decide} onExpire={expire} />
}

interface Settled {
  status: CardStatus
  /** Absent if nothing is known of the call. */
  response?: ToolResponse | null
}

async function send(confirmationToken: string, decision: Decision, voice?: VoiceKey): Promise<Settled> {
  const answer = await fetch('/api/confirmations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ confirmationToken, decision, voice }),
  })
  const text = await answer.text()
  if (!answer.ok)
    return {
      status: { phase: 'settled', tone: 'stop', text: readError(text).message },
      response: JSON.parse(text).response,
    }
  return decision === 'approve'
    ? { status: { phase: 'settled', tone: 'ok', text: 'Done.' }, response: JSON.parse(text).response }
    : { status: { phase: 'settled', tone: 'neutral', text: 'Denied; nothing was done.' }, response: null }
}
