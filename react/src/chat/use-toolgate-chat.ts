'use client'
import { isToolUIPart } from 'ai'
import { useEffect, useRef } from 'react'
import type { ToolResponse } from 'toolgate'
import { shownError } from '../text/read-error.js'
import type { ToolgateCall } from '../voice/use-voice-call.js'
import type { ChatAddress } from './chat-api.js'
import type { ChatMessage, PendingCard } from './chat-message.js'
import { toolActivities } from './tool-activity.js'
import { type AskedCard, useAskedCards } from './use-asked-cards.js'
import { useCallQuestions } from './use-call-questions.js'
import { loadConversation } from './use-conversation.js'
import { useGrants } from './use-grants.js'
import { useKeptSpeech } from './use-kept-speech.js'
import { useChatList, useOpenedChat } from './use-opened-chat.js'
import { useRestoredChat } from './use-restored-chat.js'
import { useSettledCalls } from './use-settled-calls.js'

export interface ToolgateChatOptions {
  /** The path of the routes, such as `/api/agent`. */
  api: string
  /** The chat of the user that is shown first; `main` by default. */
  id?: string
  /** The page's voice call: the chat is in its session, and the model reads what was said in it. */
  call?: ToolgateCall
  /** Whether the server may have an earlier part of the conversation; true by default. */
  isKnown?: boolean
}

export type ToolgateChat = ReturnType<typeof useToolgateChat>

/** A chat: what `useChat` of the AI SDK has, the questions of its calls, what the user has granted, and the user's other chats. */
export function useToolgateChat({ api, id, call, isKnown: isKnownUser = true }: ToolgateChatOptions) {
  const opened = useOpenedChat(id)
  const address = { api, id: opened.id }
  const isKnown = isKnownUser && !opened.isNew
  const [voice, isInCall] = [call?.key ?? null, call?.isOn ?? false]
  const spoken = call?.state.log.entries ?? NOTHING_SPOKEN
  const asked = useAskedCards({ address, voice, isInCall })
  const { chat, isBusy, conversation, ...talk } = useRestoredChat({ address, voice, spoken, isKnown, asked })
  const { messages } = chat
  useEffect(() => call?.client.countMessages(messages.length), [call?.client, messages.length])
  useKeptSpeech(address, spoken)
  const settled = useSettledCalls({ of: address.id, isBusy, setMessages: chat.setMessages, goOn: talk.goOn })
  useAnswersElsewhere(asked.answeredElsewhere, conversation.reload, settled)
  const ofCall = isInCall && call ? { grants: call.grants, revoke: (grant: string) => call.client.revoke(grant) } : null
  const granted = useGrants({ address, voice, isKnown, isBusy, answers: asked.answers, call: ofCall })
  const elsewhere = useCallQuestions({ call, asked })
  const conversations = useChatList({ address, isKnown: isKnownUser, isBusy, hasMessages: messages.length > 0 })
  const leave = (go: () => void) => {
    // What was said is kept with the chat that is left.
    call?.client.clear()
    go()
  }
  return {
    ...chat,
    kind: 'chat' as const,
    address,
    id: address.id,
    isBusy,
    /** The user's chats, the newest first. */
    conversations,
    /** Shows another chat. An answer that is being made goes on: it is there once its chat is opened again. */
    open: (other: string) => leave(() => opened.open(other)),
    /** Shows a chat without messages; the server has it from its first message on. */
    startNew: () => leave(opened.startNew),
    /** Asks again for the answer that failed. */
    retry: talk.retry,
    /** Whether the earlier part of the conversation is being loaded. */
    isRestoring: talk.isRestoring,
    /** Why the earlier part of the conversation is not there; it is tried again. Null if nothing is wrong. */
    restoreFailure: conversation.failure,
    failure: chat.error ? shownError(chat.error) : null,
    timeoutUntil: talk.timeoutUntil,
    cards: asked.cards,
    cardsOf: (message: ChatMessage) => asked.cards.filter(card => asksFor(message, card)),
    /** Confirmations of no message, such as those that were pending when the page was loaded. */
    earlierCards: asked.cards.filter(card => !messages.some(message => asksFor(message, card))),
    /** The open questions of a voice call that does not run in this window, and those that were answered here. */
    questions: elsewhere.questions,
    keepQuestion: elsewhere.keep,
    /** The calls of a message, and what came of them. `isLive`: its answer is still being streamed. */
    activitiesOf: (message: ChatMessage, isLive: boolean) => toolActivities(message, isLive, asked.ends),
    ...granted,
    setSending: settled.setSending,
    settle(card: PendingCard, came: Settled) {
      settle({ address, asked, settled }, card, came)
      conversation.announce()
    },
  }
}

/** What came of a card: the answer of its call, or that it does not run. */
export type Settled = ToolResponse | 'denied' | 'expired'

const NOTHING_SPOKEN: never[] = []

/** Lets the model know each answer that the user, or an approver, has given elsewhere. */
function useAnswersElsewhere(tokens: string[], reload: () => Promise<void>, settled: Parts['settled']) {
  const known = useRef(new Set<string>())
  useEffect(() => {
    const fresh = tokens.filter(token => !known.current.has(token))
    for (const token of fresh) known.current.add(token)
    // With the result, which this page has not got.
    if (fresh.length > 0) void reload().then(() => settled.add({ callId: null, response: null, isTold: true }))
  }, [tokens.join(' ')])
}

interface Parts {
  address: ChatAddress
  asked: ReturnType<typeof useAskedCards>
  settled: ReturnType<typeof useSettledCalls>
}

/** Shows the outcome of the user's decision in its message; the conversation goes on. */
function settle({ address, asked, settled }: Parts, card: PendingCard, came: Settled) {
  const { callId, token } = card
  asked.answer(token)
  // In the session of a voice call, the voice server gives the result to the call's model.
  const isTold = !asked.cards.some(one => one.card.token === token && one.voice)
  if (typeof came === 'string') {
    asked.drop(callId)
    if (came === 'denied') settled.add({ callId, response: null, isTold })
    return
  }
  // What the user approved was done since they were asked: there is another question.
  if (!came.ok && came.error.type === 'CONFIRMATION_REQUIRED')
    return void loadConversation(address)
      .then(({ pending }) => pending.forEach(one => asked.add(one)))
      .catch(() => {})
  settled.add({ callId, response: came, isTold })
}

const asksFor = (message: ChatMessage, { card }: AskedCard) =>
  message.parts.some(part => isToolUIPart(part) && part.toolCallId === card.callId)
