'use client'
import { useState } from 'react'
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
}

/** A question that is answered over HTTP. */
export function TextCard({ card, voice, asker, onAnswer }: TextCardProps) {
  const [status, setStatus] = useState<CardStatus>({ phase: 'asking' })

  async function decide(decision: Decision) {
    setStatus({ phase: 'sending' })
    onAnswer?.()
    const unknown: CardStatus = { phase: 'settled', tone: 'stop', text: 'The server could not be reached; nothing is known of the outcome.' }
    setStatus(await send(card.token, decision, voice).catch(() => unknown))
  }

  const expire = () => setStatus((now) => (now.phase === 'asking' ? { phase: 'settled', tone: 'neutral', text: 'Expired; nothing was done.' } : now))
  return <ConfirmationCard question={card} asker={asker} status={status} onDecide={decide} onExpire={expire} />
}

async function send(confirmationToken: string, decision: Decision, voice?: VoiceKey): Promise<CardStatus> {
  const answer = await fetch('/api/confirmations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ confirmationToken, decision, voice }),
  })
  const text = await answer.text()
  if (!answer.ok) return { phase: 'settled', tone: 'stop', text: readError(text).message }
  return decision === 'approve'
    ? { phase: 'settled', tone: 'ok', text: 'Done.' }
    : { phase: 'settled', tone: 'neutral', text: 'Denied; nothing was done.' }
}
