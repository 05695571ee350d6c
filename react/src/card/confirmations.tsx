'use client'
import type { ToolgateChat } from '../chat/use-toolgate-chat.js'
import type { ToolgateCall } from '../voice/use-voice-call.js'
import { ConfirmationGroup } from './confirmation-group.js'
import { TextConfirmationCard } from './text-confirmation-card.js'
import { VoiceConfirmationCard } from './voice-confirmation-card.js'

interface ConfirmationsProps {
  of: ToolgateChat | ToolgateCall
  /** Only the questions with these tokens, for a page that shows each beside its call; all by default. */
  tokens?: readonly string[]
  /** Sends a message of the user, such as the choice of a free time; absent while none can be sent. */
  onSend?(text: string): void
  className?: string
}

/** The cards of a chat's or a voice call's questions, answered one by one or together, with what came of each. */
export function Confirmations({ of, tokens, onSend, className }: ConfirmationsProps) {
  const isShown = (token: string) => tokens === undefined || tokens.includes(token)
  if (of.kind === 'call')
    return (
      <ConfirmationGroup className={className}>
        {of.cards
          .filter(({ request }) => isShown(request.token))
          .map(card => (
            <VoiceConfirmationCard
              key={card.key}
              card={card}
              isLive={of.isLive}
              onDecide={(token, decision, wishes) => of.client.decide(token, decision, wishes)}
              onExpire={token => of.client.expire(token)}
            />
          ))}
      </ConfirmationGroup>
    )
  return (
    <ConfirmationGroup className={className}>
      {of.cards
        .filter(({ card }) => isShown(card.token))
        .map(asked => (
          <TextConfirmationCard
            key={asked.card.token}
            {...asked}
            address={of.address}
            onSending={of.setSending}
            onSettled={of.settle}
            onSend={onSend}
          />
        ))}
      {of.questions
        .filter(({ card }) => isShown(card.token))
        .map(asked => (
          <TextConfirmationCard
            key={asked.card.token}
            {...asked}
            address={of.address}
            asker="voice call"
            onAnswer={() => of.keepQuestion(asked)}
          />
        ))}
    </ConfirmationGroup>
  )
}
