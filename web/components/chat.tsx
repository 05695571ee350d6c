'use client'
import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, isToolUIPart } from 'ai'
import { useEffect, useRef, useState } from 'react'
import type { ChatMessage, PendingCard } from '@/lib/chat-message'
import { readError } from '@/lib/read-error'
import { Composer } from './composer'
import { ConfirmationCard } from './confirmation-card'
import { MessageView } from './message-view'
import { useTimeout } from './use-timeout'
import { VoiceQuestions } from './voice-questions'

/** The server takes a hundred messages; what is further back than this no longer shapes an answer. */
const SENT_MESSAGES = 40

const SUGGESTIONS = ['Who knows about Rust?', 'What is our process for onboarding?', 'Tell me more about person:ada_example']

const transport = new DefaultChatTransport<ChatMessage>({
  api: '/api/chat',
  prepareSendMessagesRequest: ({ messages }) => ({ body: { messages: messages.slice(-SENT_MESSAGES) } }),
})

export function Chat() {
  const [cards, setCards] = useState<PendingCard[]>([])
  const [timeoutUntil, setTimeoutUntil] = useState(0)
  const locked = useTimeout(timeoutUntil)
  const field = useRef<HTMLTextAreaElement>(null)
  const end = useRef<HTMLDivElement>(null)

  const chat = useChat<ChatMessage>({
    transport,
    onData: (part) => {
      if (part.type === 'data-confirmation') setCards((known) => addCard(known, part.data))
      if (part.type === 'data-tool-message' && part.data.type === 'timeout') setTimeoutUntil(Number(part.data.timeoutUntil))
    },
    onError: (error) => setTimeoutUntil((known) => readError(error.message).timeoutUntil ?? known),
  })
  const { messages, status, error } = chat
  const busy = status === 'submitted' || status === 'streaming'
  const earlier = cards.filter((card) => !messages.some((message) => asksFor(message, card)))

  useEffect(() => {
    void loadPending().then((pending) => setCards((known) => pending.reduce(addCard, known)))
  }, [])
  useEffect(() => {
    // Newer browsers return a promise here, which is no clean-up function.
    void end.current?.scrollIntoView({ block: 'end' })
  }, [messages, cards, error])

  function send(text: string) {
    void chat.sendMessage({ text })
    field.current?.focus()
  }

  return (
    <div className="chat">
      <div className="log" role="log" aria-live="polite" aria-busy={busy}>
        {messages.length === 0 && <Welcome onPick={send} />}
        {earlier.map((card) => <ConfirmationCard key={card.token} card={card} />)}
        {messages.map((message, index) => (
          <MessageView
            key={message.id}
            message={message}
            live={busy && index === messages.length - 1}
            cards={cards.filter((card) => asksFor(message, card))}
          />
        ))}
        {status === 'submitted' && <p className="waiting">Thinking…</p>}
        {error && !locked && (
          <div className="error" role="alert">
            <p>{readError(error.message).message}</p>
            <button type="button" className="quiet" onClick={() => void chat.regenerate()}>Try again</button>
          </div>
        )}
        <VoiceQuestions />
        <div ref={end} />
      </div>
      <Composer field={field} busy={busy} locked={locked} onSend={send} onStop={() => void chat.stop()} />
    </div>
  )
}

function Welcome({ onPick }: { onPick(text: string): void }) {
  return (
    <div className="welcome">
      <h2>What would you like to know?</h2>
      <p>Answers come from the studio’s knowledge base, with their sources. Every tool call passes the gate and is shown.</p>
      <ul>
        {SUGGESTIONS.map((text) => (
          <li key={text}><button type="button" className="quiet" onClick={() => onPick(text)}>{text}</button></li>
        ))}
      </ul>
    </div>
  )
}

function addCard(known: PendingCard[], card: PendingCard): PendingCard[] {
  return known.some(({ token }) => token === card.token) ? known : [...known, card]
}

function asksFor(message: ChatMessage, { callId }: PendingCard): boolean {
  return message.parts.some((part) => isToolUIPart(part) && part.toolCallId === callId)
}

/** What waited for an answer before this page was loaded. */
async function loadPending(): Promise<PendingCard[]> {
  const answer = await fetch('/api/confirmations').catch(() => null)
  return answer?.ok ? (await answer.json()).pending : []
}
