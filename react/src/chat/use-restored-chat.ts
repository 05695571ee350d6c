'use client'
import { Chat, useChat } from '@ai-sdk/react'
import { isToolUIPart } from 'ai'
import { useEffect, useRef, useState } from 'react'
import type { ToolResponse } from 'toolgate'
import { shownError } from '../text/read-error.js'
import { type VoiceKey, forgetVoiceKey } from '../voice/voice-key.js'
import type { VoiceEntry } from '../voice/voice-log.js'
import type { ChatAddress } from './chat-api.js'
import type { ChatMessage, PendingCard } from './chat-message.js'
import { type ChatContext, chatTransport } from './chat-transport.js'
import type { ToolPart } from './tool-activity.js'
import type { useAskedCards } from './use-asked-cards.js'
import { type KeptConversation, followed, joined, useConversation } from './use-conversation.js'
import { useStateOf } from './use-state-of.js'

interface RestoredChatOptions {
  address: ChatAddress
  voice: VoiceKey | null
  spoken: VoiceEntry[]
  isKnown: boolean
  asked: ReturnType<typeof useAskedCards>
}

type ChatEvents = Pick<ConstructorParameters<typeof Chat<ChatMessage>>[0], 'onData' | 'onError' | 'onFinish'>

/** `useChat` over the conversation that the server has kept. */
export function useRestoredChat({ address, voice, spoken, isKnown, asked }: RestoredChatOptions) {
  const { id } = address
  const [timeoutUntil, setTimeoutUntil] = useState(0)
  const [isRestoring, setIsRestoring] = useStateOf(id, () => isKnown)
  const latest = useRef<{ id: string; context: ChatContext; events: ChatEvents } | null>(null)
  /** Whether the last request had no new message. */
  const isContinued = useRef(false)
  const [store] = useStateOf(id, () => {
    // Of a chat that was left, nothing is shown any more.
    const eventsOf = () => (latest.current?.id === id ? latest.current.events : {})
    return new Chat<ChatMessage>({
      id,
      transport: chatTransport(address, () => latest.current?.context ?? null),
      onData: part => eventsOf().onData?.(part),
      onError: error => eventsOf().onError?.(error),
      onFinish: end => eventsOf().onFinish?.(end),
    })
  })
  const chat = useChat({ chat: store })
  const [turns] = useStateOf(id, () => ({ last: Promise.resolve() }))
  /** One answer at a time: what is sent while one is being made waits for its end, also if its chat was left. */
  const inTurn = (act: () => Promise<void>) => (turns.last = turns.last.then(act, act))
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming'
  function restore({ messages, pending }: KeptConversation, merged: typeof joined) {
    chat.setMessages(now => merged(messages, now))
    for (const card of pending) asked.add(card)
    asked.restore(decidedCalls(messages, pending))
    setIsRestoring(() => false)
  }
  const conversation = useConversation(address, {
    onLoad: kept => restore(kept, joined),
    // A running answer replaces its message with each of its parts; its end announces another state.
    onChange: kept => (isBusy ? undefined : restore(kept, followed)),
    onPending: pending => pending.forEach(card => asked.add(card)),
  })
  const events: ChatEvents = {
    onData: part => {
      if (part.type === 'data-confirmation') asked.add(part.data, voice ?? undefined)
      if (part.type === 'data-tool-message' && part.data.type === 'timeout')
        setTimeoutUntil(Number(part.data.timeoutUntil))
    },
    onError: error => {
      const { type, timeoutUntil: until } = shownError(error)
      if (until) setTimeoutUntil(until)
      if (voice && (type === 'AUTH' || type === 'SESSION_INACTIVE')) forgetVoiceKey()
    },
    onFinish: ({ message, isAbort, isDisconnect, isError }) => {
      if (isAbort || isDisconnect || isError) chat.setMessages(messages => messages.map(one => cutIf(message, one)))
      conversation.announce()
    },
  }
  useEffect(() => void (latest.current = { id, context: { spoken, voice, earlier: conversation.earlier }, events }))
  return {
    chat: {
      ...chat,
      sendMessage: (...message: Parameters<typeof chat.sendMessage>) =>
        inTurn(() => {
          isContinued.current = false
          return store.sendMessage(...message)
        }),
      regenerate: (...options: Parameters<typeof chat.regenerate>) => inTurn(() => store.regenerate(...options)),
    },
    isBusy,
    isRestoring,
    timeoutUntil,
    conversation,
    /** Has the model go on after a decision. After a message that was not answered, its retry does. */
    goOn: () =>
      inTurn(async () => {
        if (store.messages.at(-1)?.role !== 'assistant') return
        isContinued.current = true
        await store.sendMessage()
      }),
    /** An answer that was to go on is not made anew: its calls have run. */
    retry: () => inTurn(() => (isContinued.current ? store.sendMessage() : store.regenerate())),
  }
}

/** The message, marked if it is the answer that broke off. */
const cutIf = (answer: ChatMessage, message: ChatMessage): ChatMessage =>
  message.id === answer.id && message.role === 'assistant'
    ? { ...message, metadata: { ...message.metadata, isCut: true } }
    : message

/** Calls that have asked, and wait no longer. */
function decidedCalls(messages: ChatMessage[], pending: PendingCard[]): string[] {
  const asked = messages.flatMap(({ parts }) => parts.filter(isToolUIPart)).filter(isQuestion)
  return asked.map(({ toolCallId }) => toolCallId).filter(id => !pending.some(({ callId }) => callId === id))
}

function isQuestion(part: ToolPart): boolean {
  const output = part.state === 'output-available' ? (part.output as ToolResponse) : null
  return output?.ok === false && output.error.type === 'CONFIRMATION_REQUIRED'
}
