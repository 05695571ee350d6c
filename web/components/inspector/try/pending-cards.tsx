'use client'
import type { PendingConfirmation } from 'toolgate'
import { Deciders, type Decision, DecisionButtons } from 'toolgate-react/parts'
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
  function decide(card: PendingConfirmation, decision: Decision) {
    onDecided()
    void session.decide(card, decision, roles)
  }
  return session.pending.map(card => (
    <Card
      key={card.token}
      tone="ask"
      aria-label={`Confirmation of ${card.tool}`}
      eyebrow={`${card.tool} ${card.approvers ? 'waits for others' : 'asks for consent'} · ${card.mode}, turn ${card.turn} · until ${new Date(card.expires).toLocaleTimeString()}`}
    >
      <p className={styles.preview}>{card.preview}</p>
      {card.approvers && <Deciders approvers={card.approvers} confirmations={card.confirmations} />}
      <JsonView value={card.args} label="Arguments that an approval runs" />
      <div className={styles.decision}>
        <DecisionButtons
          label={card.approvers ? null : undefined}
          denial={card.approvers && 'Withdraw'}
          disabled={session.isRunning}
          onDecide={decision => decide(card, decision)}
        />
      </div>
    </Card>
  ))
}
