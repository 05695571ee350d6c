'use client'
import { useChat } from '@ai-sdk/react'
import { isToolUIPart } from 'ai'
import { useEffect, useRef, useState } from 'react'
import type { ToolResponse } from 'toolgate'
import { shownError } from '../text/read-error.js'
import type { ToolgateCall } from '../voice/use-voice-call.js'
import { type VoiceKey, forgetVoiceKey } from '../voice/voice-key.js'
import type { VoiceEntry } from '../voice/voice-log.js'
import type { ChatAddress } from './chat-api.js'
import type { ChatMessage, PendingCard } from './chat-message.js'
import { type ToolPart, toolActivities } from './tool-activity.js'
import { type AskedCard, useAskedCards } from './use-asked-cards.js'
import { useCallQuestions } from './use-call-questions.js'
import { useChatTransport } from './use-chat-transport.js'
import { type KeptConversation, followed, joined, loadConversation, useConversation } from './use-conversation.js'
import { useGrants } from './use-grants.js'
import { useKeptSpeech } from './use-kept-speech.js'
import { settledText, useSettledCalls } from './use-settled-calls.js'

export interface ToolgateChatOptions extends ChatAddress {
  /** The page's voice call: the chat is in its session, and the model reads what was said in it. */
  call?: ToolgateCall
  /** Whether the server may have an earlier part of the conversation; true by default. */
  isKnown?: boolean
}

export type ToolgateChat = ReturnType<typeof useToolgateChat>

/** A chat: what `useChat` of the AI SDK has, the questions of its calls, what the user has granted, and the user's timeout. */
export function useToolgateChat({ api, id, call, isKnown = true }: ToolgateChatOptions) {
  const address = { api, id }
  const [voice, isInCall] = [call?.key ?? null, call?.isOn ?? false]
  const spoken = call?.state.log.entries ?? NOTHING_SPOKEN
  const asked = useAskedCards({ address, voice, isInCall })
  const talk = useRestoredChat({ address, voice, spoken, isKnown, asked })
  const { chat, isBusy, conversation } = talk
  useEffect(() => call?.client.countMessages(chat.messages.length), [call?.client, chat.messages.length])
  useKeptSpeech(address, spoken)
  const settled = useSettledCalls({ ...chat, isBusy })
  const ofCall = isInCall && call ? { grants: call.grants, revoke: (grant: string) => call.client.revoke(grant) } : null
  const granted = useGrants({ address, voice, isKnown, isBusy, answers: asked.answers, call: ofCall })
  const elsewhere = useCallQuestions({ call, asked })
  return {
    ...chat,
    kind: 'chat' as const,
    address,
    isBusy,
    /** Whether the earlier part of the conversation is being loaded. */
    isRestoring: talk.isRestoring,
    /** Why the earlier part of the conversation is not there; it is tried again. Null if nothing is wrong. */
    restoreFailure: conversation.failure,
    failure: chat.error ? shownError(chat.error) : null,
    timeoutUntil: talk.timeoutUntil,
    cards: asked.cards,
    cardsOf: (message: ChatMessage) => asked.cards.filter(card => asksFor(message, card)),
    /** Confirmations of no message, such as those that were pending when the page was loaded. */
    earlierCards: asked.cards.filter(card => !chat.messages.some(message => asksFor(message, card))),
    /** The open questions of a voice call that does not run in this window, and those that were answered here. */
    questions: elsewhere.questions,
    keepQuestion: elsewhere.keep,
    /** The calls of a message, and what came of them. `isLive`: its answer is still being streamed. */
    activitiesOf: (message: ChatMessage, isLive: boolean) => toolActivities(message, isLive, asked.ends),
    ...granted,
    setSending: settled.setSending,
    settle(card: PendingCard, response: ToolResponse | null) {
      settle({ address, asked, settled }, card, response)
      conversation.announce()
    },
  }
}

interface RestoredChatOptions {
  address: ChatAddress
  voice: VoiceKey | null
  spoken: VoiceEntry[]
  isKnown: boolean
  asked: ReturnType<typeof useAskedCards>
}

/** `useChat` over the conversation that the server has kept. */
function useRestoredChat({ address, voice, spoken, isKnown, asked }: RestoredChatOptions) {
  const [timeoutUntil, setTimeoutUntil] = useState(0)
  const [isRestoring, setIsRestoring] = useState(isKnown)
  const latest = useRef<Parameters<typeof useChatTransport>[1]['current']>(null)
  const chat = useChat<ChatMessage>({
    transport: useChatTransport(address, latest),
    onData: part => {
      if (part.type === 'data-confirmation') asked.add(part.data, latest.current?.voice ?? undefined)
      if (part.type === 'data-tool-message' && part.data.type === 'timeout')
        setTimeoutUntil(Number(part.data.timeoutUntil))
    },
    onError: error => {
      const { type, timeoutUntil: until } = shownError(error)
      if (until) setTimeoutUntil(until)
      if (latest.current?.voice && (type === 'AUTH' || type === 'SESSION_INACTIVE')) forgetVoiceKey()
    },
    onFinish: () => conversation.announce(),
  })
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming'
  function restore({ messages, pending }: KeptConversation, merged: typeof joined) {
    chat.setMessages(now => merged(messages, now))
    for (const card of pending) asked.add(card)
    asked.restore(decidedCalls(messages, pending))
    setIsRestoring(false)
  }
  const conversation = useConversation(address, {
    onLoad: kept => restore(kept, joined),
    // A running answer replaces its message with each of its parts; its end announces another state.
    onChange: kept => (isBusy ? undefined : restore(kept, followed)),
    onPending: pending => pending.forEach(card => asked.add(card)),
  })
  useEffect(() => void (latest.current = { spoken, voice, earlier: conversation.earlier }))
  return { chat, isBusy, isRestoring, timeoutUntil, conversation }
}

const NOTHING_SPOKEN: never[] = []

interface Parts {
  address: ChatAddress
  asked: ReturnType<typeof useAskedCards>
  settled: ReturnType<typeof useSettledCalls>
}

/** Adds the outcome of the user's decision to the model's history and to the page; the conversation goes on. */
function settle({ address, asked, settled }: Parts, card: PendingCard, response: ToolResponse | null) {
  const { callId, preview, token } = card
  asked.answer(token)
  if (response === null) return asked.drop(callId)
  // What the user approved was done since they were asked: there is another question.
  if (!response.ok && response.error.type === 'CONFIRMATION_REQUIRED')
    return void loadConversation(address)
      .then(({ pending }) => pending.forEach(one => asked.add(one)))
      .catch(() => {})
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
