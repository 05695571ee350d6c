'use client'
import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, isToolUIPart } from 'ai'
import { useEffect, useRef, useState } from 'react'
import type { ToolResponse } from 'toolgate'
import { placeName } from '@/lib/card-outcome'
import { chatHistory } from '@/lib/chat-history'
import type { ChatMessage, PendingCard } from '@/lib/chat-message'
import { zoneOfPage } from '@/lib/local-time'
import { fetchAnswer, shownError } from '@/lib/read-error'
import { type ToolPart, answeredPart } from '@/lib/tool-activity'
import type { VoiceEntry } from '@/lib/voice/voice-log'
import { type VoiceKey, forgetVoiceKey } from '@/lib/voice-key'

/** A question of the text chat, and the voice call whose session it belongs to. */
export interface AskedCard {
  card: PendingCard
  voice?: VoiceKey
}

/** The result of an approved call, which the history and the page do not show yet. */
interface SettledCall {
  callId: string | null
  response: ToolResponse
  /** The user's message about it; `null` if another server gives the result to the model. */
  text: string | null
}

interface TextChatOptions {
  /** The speech of voice calls, for the model's history. */
  spoken: VoiceEntry[]
  /** The voice call whose session the chat shares; `null` if the chat has its own. */
  voice: VoiceKey | null
  /** Whether the server may have an earlier part of the conversation. */
  isKnown: boolean
}

/** The text chat: its messages, the questions of its calls, and the end of the user's timeout. */
export function useTextChat(options: TextChatOptions) {
  const latest = useRef(options)
  useEffect(() => void (latest.current = options))
  const [cards, setCards] = useState<AskedCard[]>([])
  const [dropped, setDropped] = useState<(string | null)[]>([])
  const [timeoutUntil, setTimeoutUntil] = useState(0)
  const [isRestoring, setIsRestoring] = useState(options.isKnown)
  const [restored] = useState(once<ChatMessage[]>)
  const [transport] = useState(
    () =>
      new DefaultChatTransport<ChatMessage>({
        api: '/api/chat',
        fetch: fetchAnswer,
        prepareSendMessagesRequest: async ({ messages }) => {
          const { spoken, voice } = latest.current
          const all = joined(await restored.promise, messages)
          return {
            body: { messages: chatHistory(all, spoken), voice: voice ?? undefined, timeZone: zoneOfPage() },
          }
        },
      }),
  )

  const chat = useChat<ChatMessage>({
    transport,
    onData: part => {
      if (part.type === 'data-confirmation')
        setCards(known => addCard(known, { card: part.data, voice: latest.current.voice ?? undefined }))
      if (part.type === 'data-tool-message' && part.data.type === 'timeout')
        setTimeoutUntil(Number(part.data.timeoutUntil))
    },
    onError: error => {
      const { type, timeoutUntil: until } = shownError(error)
      if (until) setTimeoutUntil(until)
      if (latest.current.voice && (type === 'AUTH' || type === 'SESSION_INACTIVE')) forgetVoiceKey()
    },
  })

  const showPending = () =>
    loadConversation().then(({ pending }) =>
      setCards(known => pending.reduce((all, card) => addCard(all, { card }), known)),
    )
  useEffect(() => {
    void loadConversation().then(({ messages, pending }) => {
      chat.setMessages(now => joined(messages, now))
      setCards(known => pending.reduce((all, card) => addCard(all, { card }), known))
      setDropped(known => [...known, ...decidedCalls(messages, pending)])
      setIsRestoring(false)
      restored.resolve(messages)
    })
  }, [])

  // A running answer replaces its message with each of its parts, and no message can be sent meanwhile: outcomes wait for
  // its end.
  const [outcomes, setOutcomes] = useState<SettledCall[]>([])
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming'
  useEffect(() => {
    const [outcome, ...later] = outcomes
    if (isBusy || outcome === undefined) return
    setOutcomes(later)
    chat.setMessages(messages => messages.map(message => withOutcome(message, outcome)))
    // The model speaks about the result.
    if (outcome.text !== null) void chat.sendMessage({ text: outcome.text })
  }, [isBusy, outcomes])

  /** Adds the outcome of the user's decision to the model's history and to the page; the conversation goes on. */
  function settle({ callId, preview, token }: PendingCard, response: ToolResponse | null) {
    if (response === null) return setDropped(known => [...known, callId])
    // What the user approved was done since they were asked: there is another question.
    if (!response.ok && response.error.type === 'CONFIRMATION_REQUIRED') return void showPending()
    // In the session of a voice call, the voice server gives the result to the call's model.
    const isOfCall = cards.some(({ card, voice }) => card.token === token && voice)
    setOutcomes(known => [...known, { callId, response, text: isOfCall ? null : settledText(preview, response) }])
  }

  const asksFor = (message: ChatMessage, { card }: AskedCard) =>
    message.parts.some(part => isToolUIPart(part) && part.toolCallId === card.callId)
  return {
    ...chat,
    isBusy,
    /** Whether the earlier part of the conversation is being loaded. */
    isRestoring,
    failure: chat.error ? shownError(chat.error) : null,
    timeoutUntil,
    cards,
    settle,
    /** Ids of calls whose question was denied or has expired. */
    dropped,
    cardsOf: (message: ChatMessage) => cards.filter(card => asksFor(message, card)),
    /** Confirmations that were pending when the page was loaded. */
    earlierCards: cards.filter(card => !chat.messages.some(message => asksFor(message, card))),
  }
}

/** The user's message about a call that they approved. */
function settledText(preview: string, { ok, meta }: ToolResponse): string {
  const changed = meta?.edited?.map(({ path }) => placeName(path)).join(', ')
  const approved = changed === undefined ? 'Approved' : `Approved, with changes (${changed})`
  return ok ? `${approved}: ${preview}` : `${approved}, but it failed: ${preview}`
}

/** The message, with the result in the place of the question. */
function withOutcome(message: ChatMessage, { callId, response }: SettledCall): ChatMessage {
  const parts = message.parts.map(part =>
    isToolUIPart(part) && part.toolCallId === callId ? answeredPart(part as ToolPart, response) : part,
  )
  return { ...message, parts }
}

function addCard(known: AskedCard[], asked: AskedCard): AskedCard[] {
  return known.some(({ card }) => card.token === asked.card.token) ? known : [...known, asked]
}

/** A promise that is resolved from outside. */
function once<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>(done => (resolve = done))
  return { promise, resolve: value => resolve(value) }
}

/** The kept conversation of the session, and its pending confirmations. */
async function loadConversation(): Promise<{ messages: ChatMessage[]; pending: PendingCard[] }> {
  const answer = await fetch('/api/conversation').catch(() => null)
  return answer?.ok ? answer.json() : { messages: [], pending: [] }
}

/** Earlier messages before those that the page has. */
function joined(earlier: ChatMessage[], messages: ChatMessage[]): ChatMessage[] {
  const known = new Set(messages.map(({ id }) => id))
  return [...earlier.filter(({ id }) => !known.has(id)), ...messages]
}

/** Calls whose question was denied or has expired: they have no answer, and it is not pending. */
function decidedCalls(messages: ChatMessage[], pending: PendingCard[]): string[] {
  const asked = messages.flatMap(({ parts }) => parts.filter(isToolUIPart)).filter(isQuestion)
  return asked.map(({ toolCallId }) => toolCallId).filter(id => !pending.some(({ callId }) => callId === id))
}

function isQuestion(part: ToolPart): boolean {
  const output = part.state === 'output-available' ? (part.output as ToolResponse) : null
  return output?.ok === false && output.error.type === 'CONFIRMATION_REQUIRED'
}
