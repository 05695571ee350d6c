'use client'
import { useState } from 'react'
import type { PendingCard } from '@/lib/chat-message'
import { readError } from '@/lib/read-error'

type State = { phase: 'asking' | 'sending' } | { phase: 'settled'; text: string }

/** A call that waits for the user's consent; what is shown here is exactly what an approval runs. */
export function ConfirmationCard({ card }: { card: PendingCard }) {
  const [state, setState] = useState<State>({ phase: 'asking' })

  async function decide(decision: 'approve' | 'deny') {
    setState({ phase: 'sending' })
    const text = await send(card.token, decision).catch(() => 'The server could not be reached; nothing is known of the outcome.')
    setState({ phase: 'settled', text })
  }

  return (
    <section className="confirmation" aria-label="Confirmation">
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

async function send(confirmationToken: string, decision: 'approve' | 'deny'): Promise<string> {
  const answer = await fetch('/api/confirmations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ confirmationToken, decision }),
  })
  const text = await answer.text()
  if (answer.ok) return decision === 'approve' ? 'Done.' : 'Denied; nothing was done.'
  return readError(text).message
}
