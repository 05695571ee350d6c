import type { ToolResponse } from 'toolgate'
import type { ChatMessage, PendingCard } from '@/lib/chat-message'
import { citations, toolActivities } from '@/lib/tool-activity'
import { AnswerText } from './answer-text'
import { Entry } from './entry'
import { SourceList } from './source-list'
import { TextCard } from './text-card'
import { ToolActivityList } from './tool-activity-list'
import { ToolMessageNote } from './tool-message-note'
import type { AskedCard } from './use-text-chat'

interface MessageViewProps {
  message: ChatMessage
  live: boolean
  /** The confirmations that its calls asked for. */
  cards: AskedCard[]
  /** The calls whose question was denied or has expired. */
  dropped: (string | null)[]
  onSettled(card: PendingCard, response: ToolResponse | null): void
  onTalk?(pendingRequest: string | undefined): void
}

/** One message: what the user wrote, or an answer with its calls, their confirmations, and sources. */
export function MessageView({ message, live, cards, dropped, onSettled, onTalk }: MessageViewProps) {
  if (message.role === 'user') {
    return <Entry speaker="user">{message.parts.map(part => (part.type === 'text' ? part.text : '')).join('')}</Entry>
  }
  if (message.parts.every(isBlank)) return null
  const sources = citations(message)
  return (
    <Entry speaker="assistant">
      <ToolActivityList activities={toolActivities(message, live, dropped)} />
      {message.parts.map((part, index) => {
        if (part.type === 'text' && part.text)
          return <AnswerText key={index} text={part.text} sources={sources} scope={message.id} />
        if (part.type === 'data-tool-message')
          return <ToolMessageNote key={index} message={part.data} onTalk={onTalk} />
        return null
      })}
      {cards.map(({ card, voice }) => (
        <TextCard key={card.token} card={card} voice={voice} onSettled={onSettled} />
      ))}
      <SourceList sources={sources} scope={message.id} />
    </Entry>
  )
}

/** What an answer that broke off at once leaves behind. */
function isBlank(part: ChatMessage['parts'][number]): boolean {
  return part.type === 'step-start' || (part.type === 'text' && part.text === '')
}
