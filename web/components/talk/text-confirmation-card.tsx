'use client'
import { useState } from 'react'
import type { ToolResponse } from 'toolgate'
import type { PendingCard } from '@/lib/chat-message'
import { readError } from '@/lib/read-error'
import type { VoiceKey } from '@/lib/voice-key'
import { type CardStatus, ConfirmationCard, type Decision } from './confirmation-card'

interface TextCardProps {
  card: PendingCard
  /** Whose question it is, where the session is that of a voice call. */
  voice?: VoiceKey
  asker?: 'voice call'
  onAnswer?(): void
  /** `response` where the call was run, `null` where it will not be. */
  onSettled?(card: PendingCard, response: ToolResponse | null): void
}

/** A question that is answered over HTTP. */
export function TextCard({ card, voice, asker, onAnswer, onSettled }: TextCardProps) {
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
  /** Absent where nothing is known of the call. */
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
