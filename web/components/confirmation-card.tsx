'use client'
import { useState } from 'react'
import type { PendingCard } from '@/lib/chat-message'
import { readError } from '@/lib/read-error'
import type { VoiceKey } from '@/lib/voice-key'

type State = { phase: 'asking' | 'sending' } | { phase: 'settled'; text: string }

interface ConfirmationCardProps {
  card: PendingCard
  /** Whose question it is, where a voice call asked. */
  voice?: VoiceKey
  onAnswer?(): void
}

/** A call that waits for the user's consent; what is shown here is exactly what an approval runs. */
export function ConfirmationCard({ card, voice, onAnswer }: ConfirmationCardProps) {
  const [state, setState] = useState<State>({ phase: 'asking' })

  async function decide(decision: 'approve' | 'deny') {
    setState({ phase: 'sending' })
    onAnswer?.()
    const text = await send({ confirmationToken: card.token, decision, voice }).catch(() => 'The server could not be reached; nothing is known of the outcome.')
    setState({ phase: 'settled', text })
  }

  return (
    <section className="confirmation" aria-label={voice ? 'Confirmation for your voice call' : 'Confirmation'}>
      {voice && <p className="asker">Your voice call asks:</p>}
      <p className="preview">{card.preview}</p>
      {state.phase === 'settled' ? (
        <p role="status">{state.text}</p>
      ) : (
        <div className="actions">
          <button type="button" disabled={state.phase === 'sending'} onClick={() => decide('approve')}>Approve</button>
          <button type="button" className="quiet" disabled={state.phase === 'sending'} onClick={() => decide('deny')}>Deny</button>
        </div>
      )}
    </section>
  )
}

interface Answer {
  confirmationToken: string
  decision: 'approve' | 'deny'
  voice?: VoiceKey
}

async function send(given: Answer): Promise<string> {
  const answer = await fetch('/api/confirmations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(given),
  })
  const text = await answer.text()
  if (answer.ok) return given.decision === 'approve' ? 'Done.' : 'Denied; nothing was done.'
  return readError(text).message
}
