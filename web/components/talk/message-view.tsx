import { type ChatMessage, Confirmations, type ToolgateChat } from 'toolgate-react'
import { type AskedCard, citations } from 'toolgate-react/parts'
import { drawnResults } from '@/lib/drawn-results'
import { AnswerActions } from './answer-actions'
import { DrawnResultView } from './drawn-result-view'
import styles from './message-view.module.css'
import { OfferingAnswer } from './offering-answer'
import { TranscriptEntry } from './transcript-entry'
import { SourceList } from './source-list'
import { ToolMessageNote } from './tool-message-note'
import { CallLines } from './call-lines'

interface MessageViewProps {
  message: ChatMessage
  live: boolean
  isLast: boolean
  chat: ToolgateChat
  onTalk?(pendingRequest: string | undefined): void
  /** Sends a message of the user; absent while none can be sent. */
  onSend?(text: string): void
}

/** One message: the user's text, or an answer with its calls, confirmations and sources. */
export function MessageView({ message, live, isLast, chat, onTalk, onSend }: MessageViewProps) {
  if (message.role === 'user') return <TranscriptEntry speaker="user">{textOf(message)}</TranscriptEntry>
  if (message.parts.every(isBlank)) return null
  const sources = citations(message)
  const questions = placed(message, chat.cardsOf(message))
  const cardsAt = (place: number) => {
    const cards = questions.get(place)
    // A card stays the same where the message gets other parts.
    return cards && <Confirmations key={cards[0]?.card.token} of={chat} tokens={tokensOf(cards)} onSend={onSend} />
  }
  return (
    <TranscriptEntry speaker="assistant">
      <CallLines activities={chat.activitiesOf(message, live)} />
      {message.parts.flatMap((part, index) => [
        part.type === 'text' && part.text && (
          <OfferingAnswer
            key={index}
            text={part.text}
            sources={sources}
            scope={message.id}
            onSend={isLast && !live ? onSend : undefined}
          />
        ),
        part.type === 'data-tool-message' && <ToolMessageNote key={index} message={part.data} onTalk={onTalk} />,
        cardsAt(index),
      ])}
      {drawnResults(message).map(result => (
        <DrawnResultView key={result.callId} result={result} onSend={onSend} />
      ))}
      {message.metadata?.isCut && !live && <p className={styles.cut}>This answer broke off.</p>}
      <SourceList sources={sources} scope={message.id} />
      {!live && (
        <AnswerActions
          text={textOf(message)}
          onAgain={isLast && onSend ? () => void chat.regenerate({ messageId: message.id }) : undefined}
        />
      )}
    </TranscriptEntry>
  )
}

export const tokensOf = (cards: AskedCard[]): string[] => cards.map(({ card }) => card.token)

const textOf = ({ parts }: ChatMessage): string =>
  parts
    .flatMap(part => (part.type === 'text' ? part.text : []))
    .filter(text => text !== '')
    .join('\n\n')

/** Shown for an answer that broke off without content. */
function isBlank(part: ChatMessage['parts'][number]): boolean {
  return part.type === 'step-start' || (part.type === 'text' && part.text === '')
}

/** The cards by the index of the part that they follow: what the model says of its calls. What it says of a decision comes after them. */
function placed({ parts }: ChatMessage, cards: AskedCard[]): Map<number, AskedCard[]> {
  const places = new Map<number, AskedCard[]>()
  for (const asked of cards) {
    const call = parts.findIndex(part => 'toolCallId' in part && part.toolCallId === asked.card.callId)
    const spoken = parts.findIndex((part, index) => index > call && part.type === 'text' && part.text !== '')
    const place = spoken < 0 ? parts.length - 1 : spoken
    places.set(place, [...(places.get(place) ?? []), asked])
  }
  return places
}
