'use client'
import { Fragment } from 'react'
import { Button } from '@/components/ui/button'
import { Notice } from '@/components/ui/notice'
import { type VoiceBlock, voiceBlocks } from '@/lib/voice/voice-blocks'
import type { CallState, VoiceCall } from '@/lib/voice/voice-call'
import { ConfirmationGroup } from './confirmation-group'
import { MessageView } from './message-view'
import { TextConfirmationCard } from './text-confirmation-card'
import type { AskedCard } from './use-asked-cards'
import type { useTextChat } from './use-text-chat'
import { VoiceBlockView } from './voice-block-view'

interface ConversationProps {
  chat: ReturnType<typeof useTextChat>
  call: VoiceCall
  state: CallState
  onTalk?(pendingRequest: string | undefined): void
  /** Sends a message of the user; absent while none can be sent. */
  onSend?(text: string): void
}

/** Messages and spoken turns in order. */
export function Conversation({ chat, call, state, onTalk, onSend }: ConversationProps) {
  const { messages, isBusy } = chat
  const blocks = voiceBlocks(state.log.entries)
  const spoken = (after: number) =>
    blocks
      .filter(block => block.after === after)
      .map(block => <SpokenBlock key={block.key} block={block} call={call} isLive={state.link.phase === 'live'} />)
  return (
    <>
      <ConfirmationGroup>
        {chat.earlierCards.map((asked: AskedCard) => (
          <TextConfirmationCard key={asked.card.token} {...asked} />
        ))}
      </ConfirmationGroup>
      {messages.map((message, index) => (
        <Fragment key={message.id}>
          {spoken(index)}
          <MessageView
            message={message}
            live={isBusy && index === messages.length - 1}
            cards={chat.cardsOf(message)}
            ends={chat.ends}
            onSending={chat.setSending}
            onSettled={chat.settle}
            onTalk={onTalk}
            onSend={onSend}
          />
        </Fragment>
      ))}
      {spoken(messages.length)}
    </>
  )
}

function SpokenBlock({ block, call, isLive }: { block: VoiceBlock; call: VoiceCall; isLive: boolean }) {
  return (
    <VoiceBlockView
      block={block}
      isLive={isLive}
      onDecide={(token, decision, wishes) => call.decide(token, decision, wishes)}
      onExpire={token => call.expire(token)}
    />
  )
}

export function Failure({ message, onRetry }: { message: string; onRetry(): void }) {
  return (
    <Notice
      tone="stop"
      role="alert"
      actions={
        <Button size="s" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {message}
    </Notice>
  )
}

interface QuestionsProps {
  /** Open cards, and cards answered here, which stay to show their outcome. */
  cards: AskedCard[]
  onAnswer(card: AskedCard): void
}

/** The questions of a voice call that does not run in this window. */
export function QuestionsOfCall({ cards, onAnswer }: QuestionsProps) {
  return (
    <ConfirmationGroup>
      {cards.map(asked => (
        <TextConfirmationCard key={asked.card.token} {...asked} asker="voice call" onAnswer={() => onAnswer(asked)} />
      ))}
    </ConfirmationGroup>
  )
}
