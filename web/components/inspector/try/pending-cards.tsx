'use client'
import { Check, X } from 'lucide-react'
import type { PendingConfirmation } from 'toolgate'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { JsonView } from '../json-view'
import styles from './try-it.module.css'
import type { TrySession } from './use-try-session'

interface PendingCardsProps {
  session: TrySession
  roles: string[]
  onDecided(): void
}

/** The pending confirmations; an approval runs exactly what a card shows. */
export function PendingCards({ session, roles, onDecided }: PendingCardsProps) {
  function decide(card: PendingConfirmation, decision: 'approve' | 'deny') {
    onDecided()
    void session.decide(card, decision, roles)
  }
  return session.pending.map(card => (
    <Card
      key={card.token}
      tone="ask"
      aria-label={`Confirmation of ${card.tool}`}
      eyebrow={`${card.tool} asks for consent · ${card.mode}, turn ${card.turn} · until ${new Date(card.expires).toLocaleTimeString()}`}
    >
      <p className={styles.preview}>{card.preview}</p>
      <JsonView value={card.args} label="Arguments that an approval runs" />
      <div className={styles.decision}>
        <Button
          variant="primary"
          icon={<Check size={15} aria-hidden="true" />}
          disabled={session.isRunning}
          onClick={() => decide(card, 'approve')}
        >
          Approve
        </Button>
        <Button
          icon={<X size={15} aria-hidden="true" />}
          disabled={session.isRunning}
          onClick={() => decide(card, 'deny')}
        >
          Deny
        </Button>
      </div>
    </Card>
  ))
}
