import type { ChatMessage, PendingCard } from '@/lib/chat-message'
import { citations, toolActivities } from '@/lib/tool-activity'
import { AnswerText } from './answer-text'
import { ConfirmationCard } from './confirmation-card'
import { SourceList } from './source-list'
import { ToolActivityList } from './tool-activity-list'
import { ToolMessageNote } from './tool-message-note'

interface MessageViewProps {
  message: ChatMessage
  live: boolean
  /** The confirmations that its calls asked for. */
  cards: PendingCard[]
}

/** One message: what the user wrote, or an answer with its calls, their confirmations, and sources. */
export function MessageView({ message, live, cards }: MessageViewProps) {
  if (message.role === 'user') {
    const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    return <article className="message user" aria-label="You">{text}</article>
  }
  if (message.parts.every(isBlank)) return null
  const sources = citations(message)
  return (
    <article className="message assistant" aria-label="Assistant">
      <ToolActivityList activities={toolActivities(message, live)} />
      {message.parts.map((part, index) => {
        if (part.type === 'text' && part.text) return <AnswerText key={index} text={part.text} sources={sources} />
        if (part.type === 'data-tool-message') return <ToolMessageNote key={index} message={part.data} />
        return null
      })}
      {cards.map((card) => <ConfirmationCard key={card.token} card={card} />)}
      <SourceList sources={sources} />
    </article>
  )
}

/** What an answer that broke off at once leaves behind. */
function isBlank(part: ChatMessage['parts'][number]): boolean {
  return part.type === 'step-start' || (part.type === 'text' && part.text === '')
}
