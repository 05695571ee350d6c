'use client'
import { Fragment, useEffect } from 'react'
import { Confirmations, type ToolgateCall, type ToolgateChat } from 'toolgate-react'
import { voiceBlocks } from 'toolgate-react/parts'
import { Button } from '@/components/ui/button'
import { Notice } from '@/components/ui/notice'
import { loadMarkdown } from './answer-text'
import { MessageView, tokensOf } from './message-view'
import { VoiceBlockView } from './voice-block-view'

interface ConversationProps {
  chat: ToolgateChat
  call: ToolgateCall
  onTalk?(pendingRequest: string | undefined): void
  /** Sends a message of the user; absent while none can be sent. */
  onSend?(text: string): void
}

/** Messages and spoken turns in order. */
export function Conversation({ chat, call, onTalk, onSend }: ConversationProps) {
  const { messages, isBusy } = chat
  const isBegun = messages.length > 0
  useEffect(() => {
    if (isBegun) void loadMarkdown()
  }, [isBegun])
  const blocks = voiceBlocks(call.state.log.entries)
  const spoken = (after: number) =>
    blocks
      .filter(block => block.after === after)
      .map(block => <VoiceBlockView key={block.key} block={block} call={call} />)
  return (
    <>
      <Confirmations of={chat} tokens={tokensOf(chat.earlierCards)} />
      {messages.map((message, index) => (
        <Fragment key={message.id}>
          {spoken(index)}
          <MessageView
            message={message}
            live={isBusy && index === messages.length - 1}
            isLast={index === messages.length - 1}
            chat={chat}
            onTalk={onTalk}
            onSend={onSend}
          />
        </Fragment>
      ))}
      {spoken(messages.length)}
    </>
  )
}

interface FailureProps {
  message: string
  /** Absent if it is tried again by itself. */
  onRetry?(): void
}

export function Failure({ message, onRetry }: FailureProps) {
  const retry = onRetry && (
    <Button size="s" onClick={onRetry}>
      Try again
    </Button>
  )
  return (
    <Notice tone="stop" role="alert" actions={retry}>
      {message}
    </Notice>
  )
}
