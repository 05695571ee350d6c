import type { ToolResponse } from 'toolgate'
import type { ChatMessage, PendingCard } from '@/lib/chat-message'
import { drawnResults } from '@/lib/drawn-results'
import { type CallEnd, citations, toolActivities } from '@/lib/tool-activity'
import { AnswerText } from './answer-text'
import { ConfirmationGroup } from './confirmation-group'
import { DrawnResultView } from './drawn-result-view'
import { TranscriptEntry } from './transcript-entry'
import { SourceList } from './source-list'
import { TextConfirmationCard } from './text-confirmation-card'
import { ToolActivityList } from './tool-activity-list'
import { ToolMessageNote } from './tool-message-note'
import type { AskedCard } from './use-asked-cards'

interface MessageViewProps {
  message: ChatMessage
  live: boolean
  /** The confirmations of its calls. */
  cards: AskedCard[]
  /** How calls have ended that asked, by their ids. */
  ends: ReadonlyMap<string | null, CallEnd>
  onSending(token: string, isSending: boolean): void
  onSettled(card: PendingCard, response: ToolResponse | null): void
  onTalk?(pendingRequest: string | undefined): void
  /** Sends a message of the user; absent while none can be sent. */
  onSend?(text: string): void
}

/** One message: the user's text, or an answer with its calls, confirmations and sources. */
export function MessageView({ message, live, cards, ends, onTalk, onSend, ...answering }: MessageViewProps) {
  if (message.role === 'user') {
    return (
      <TranscriptEntry speaker="user">
        {message.parts.map(part => (part.type === 'text' ? part.text : '')).join('')}
      </TranscriptEntry>
    )
  }
  if (message.parts.every(isBlank)) return null
  const sources = citations(message)
  return (
    <TranscriptEntry speaker="assistant">
      <ToolActivityList activities={toolActivities(message, live, ends)} />
      {message.parts.map((part, index) => {
        if (part.type === 'text' && part.text)
          return <AnswerText key={index} text={part.text} sources={sources} scope={message.id} />
        if (part.type === 'data-tool-message')
          return <ToolMessageNote key={index} message={part.data} onTalk={onTalk} />
        return null
      })}
      {drawnResults(message).map(result => (
        <DrawnResultView key={result.callId} result={result} onSend={onSend} />
      ))}
      {cards.length > 0 && (
        <ConfirmationGroup>
          {cards.map(asked => (
            <TextConfirmationCard key={asked.card.token} {...asked} {...answering} onSend={onSend} />
          ))}
        </ConfirmationGroup>
      )}
      <SourceList sources={sources} scope={message.id} />
    </TranscriptEntry>
  )
}

/** Shown for an answer that broke off without content. */
function isBlank(part: ChatMessage['parts'][number]): boolean {
  return part.type === 'step-start' || (part.type === 'text' && part.text === '')
}
