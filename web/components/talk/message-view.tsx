import { type ChatMessage, Confirmations, type ToolgateChat } from 'toolgate-react'
import { ToolCalls, citations } from 'toolgate-react/parts'
import { drawnResults } from '@/lib/drawn-results'
import { AnswerText } from './answer-text'
import { tokensOf } from './conversation'
import { DrawnResultView } from './drawn-result-view'
import { TranscriptEntry } from './transcript-entry'
import { SourceList } from './source-list'
import { ToolMessageNote } from './tool-message-note'

interface MessageViewProps {
  message: ChatMessage
  live: boolean
  chat: ToolgateChat
  onTalk?(pendingRequest: string | undefined): void
  /** Sends a message of the user; absent while none can be sent. */
  onSend?(text: string): void
}

/** One message: the user's text, or an answer with its calls, confirmations and sources. */
export function MessageView({ message, live, chat, onTalk, onSend }: MessageViewProps) {
  if (message.role === 'user') {
    return (
      <TranscriptEntry speaker="user">
        {message.parts.map(part => (part.type === 'text' ? part.text : '')).join('')}
      </TranscriptEntry>
    )
  }
  if (message.parts.every(isBlank)) return null
  const sources = citations(message)
  const cards = chat.cardsOf(message)
  return (
    <TranscriptEntry speaker="assistant">
      <ToolCalls activities={chat.activitiesOf(message, live)} />
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
      {cards.length > 0 && <Confirmations of={chat} tokens={tokensOf(cards)} onSend={onSend} />}
      <SourceList sources={sources} scope={message.id} />
    </TranscriptEntry>
  )
}

/** Shown for an answer that broke off without content. */
function isBlank(part: ChatMessage['parts'][number]): boolean {
  return part.type === 'step-start' || (part.type === 'text' && part.text === '')
}
