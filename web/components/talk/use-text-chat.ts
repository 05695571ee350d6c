'use client'
import { useChat } from '@ai-sdk/react'
import { isToolUIPart } from 'ai'
import { useEffect, useRef, useState } from 'react'
import type { ToolResponse } from 'toolgate'
import type { ChatMessage, PendingCard } from '@/lib/chat-message'
import { shownError } from '@/lib/read-error'
import type { ToolPart } from '@/lib/tool-activity'
import type { VoiceEntry } from '@/lib/voice/voice-log'
import { type VoiceKey, forgetVoiceKey } from '@/lib/voice-key'
import { type AskedCard, useAskedCards } from './use-asked-cards'
import { joined, loadConversation, useChatTransport, useKeptConversation } from './use-chat-transport'
import { settledText, useSettledCalls } from './use-settled-calls'

interface TextChatOptions {
  /** The speech of voice calls, for the model's history. */
  spoken: VoiceEntry[]
  /** The voice call whose session the chat shares; `null` if the chat has its own. */
  voice: VoiceKey | null
  /** Whether that call runs in this window. */
  isInCall: boolean
  /** Whether the server may have an earlier part of the conversation. */
  isKnown: boolean
}

/** The text chat: its messages, the questions of its calls, and the end of the user's timeout. */
export function useTextChat(options: TextChatOptions) {
  const latest = useRef(options)
  useEffect(() => void (latest.current = options))
  const [timeoutUntil, setTimeoutUntil] = useState(0)
  const [isRestoring, setIsRestoring] = useState(options.isKnown)
  const asked = useAskedCards(options)
  const { transport, restored } = useChatTransport(latest)
  const chat = useChat<ChatMessage>({
    transport,
    onData: part => {
      if (part.type === 'data-confirmation') asked.add(part.data, latest.current.voice ?? undefined)
      if (part.type === 'data-tool-message' && part.data.type === 'timeout')
        setTimeoutUntil(Number(part.data.timeoutUntil))
    },
    onError: error => {
      const { type, timeoutUntil: until } = shownError(error)
      if (until) setTimeoutUntil(until)
      if (latest.current.voice && (type === 'AUTH' || type === 'SESSION_INACTIVE')) forgetVoiceKey()
    },
  })
  useKeptConversation(restored, ({ messages, pending }) => {
    chat.setMessages(now => joined(messages, now))
    for (const card of pending) asked.add(card)
    asked.restore(decidedCalls(messages, pending))
    setIsRestoring(false)
  })
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming'
  const settled = useSettledCalls({ ...chat, isBusy })
  return {
    ...chat,
    isBusy,
    /** Whether the earlier part of the conversation is being loaded. */
    isRestoring,
    failure: chat.error ? shownError(chat.error) : null,
    timeoutUntil,
    cards: asked.cards,
    /** The open questions of the session. */
    pending: asked.pending,
    ends: asked.ends,
    /** How many questions have been answered here. */
    answers: asked.answers,
    setSending: settled.setSending,
    settle: (card: PendingCard, response: ToolResponse | null) => settle({ asked, settled }, card, response),
    cardsOf: (message: ChatMessage) => asked.cards.filter(card => asksFor(message, card)),
    /** Confirmations that were pending when the page was loaded. */
    earlierCards: asked.cards.filter(card => !chat.messages.some(message => asksFor(message, card))),
  }
}

interface Parts {
  asked: ReturnType<typeof useAskedCards>
  settled: ReturnType<typeof useSettledCalls>
}

/** Adds the outcome of the user's decision to the model's history and to the page; the conversation goes on. */
function settle({ asked, settled }: Parts, card: PendingCard, response: ToolResponse | null) {
  const { callId, preview, token } = card
  asked.answer(token)
  if (response === null) return asked.drop(callId)
  // What the user approved was done since they were asked: there is another question.
  if (!response.ok && response.error.type === 'CONFIRMATION_REQUIRED')
    return void loadConversation().then(({ pending }) => pending.forEach(one => asked.add(one)))
  // In the session of a voice call, the voice server gives the result to the call's model.
  const isOfCall = asked.cards.some(one => one.card.token === token && one.voice)
  settled.add({ callId, response, text: isOfCall ? null : settledText(preview, response) })
}

const asksFor = (message: ChatMessage, { card }: AskedCard) =>
  message.parts.some(part => isToolUIPart(part) && part.toolCallId === card.callId)

/** Calls that have asked, and wait no longer. */
function decidedCalls(messages: ChatMessage[], pending: PendingCard[]): string[] {
  const asked = messages.flatMap(({ parts }) => parts.filter(isToolUIPart)).filter(isQuestion)
  return asked.map(({ toolCallId }) => toolCallId).filter(id => !pending.some(({ callId }) => callId === id))
}

function isQuestion(part: ToolPart): boolean {
  const output = part.state === 'output-available' ? (part.output as ToolResponse) : null
  return output?.ok === false && output.error.type === 'CONFIRMATION_REQUIRED'
}
