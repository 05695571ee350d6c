'use client'
import { DefaultChatTransport } from 'ai'
import { useEffect, useState } from 'react'
import { chatHistory } from '@/lib/chat-history'
import type { ChatMessage, PendingCard } from '@/lib/chat-message'
import { zoneOfPage } from '@/lib/local-time'
import { fetchAnswer } from '@/lib/read-error'
import type { VoiceEntry } from '@/lib/voice/voice-log'
import type { VoiceKey } from '@/lib/voice-key'

interface Context {
  spoken: VoiceEntry[]
  voice: VoiceKey | null
}

/** What the server has kept of the session: its conversation, and its pending confirmations. */
export interface KeptConversation {
  messages: ChatMessage[]
  pending: PendingCard[]
}

/** Sends messages with the conversation before them, which the server may have and the page may still be loading. */
export function useChatTransport(latest: { readonly current: Context }) {
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
  return { transport, restored }
}

/** Loads the kept conversation once. Messages wait for it. */
export function useKeptConversation(
  restored: { resolve(messages: ChatMessage[]): void },
  onLoad: (kept: KeptConversation) => void,
): void {
  useEffect(() => {
    void loadConversation().then(kept => {
      onLoad(kept)
      restored.resolve(kept.messages)
    })
  }, [])
}

export async function loadConversation(): Promise<KeptConversation> {
  const answer = await fetch('/api/conversation').catch(() => null)
  return answer?.ok ? answer.json() : { messages: [], pending: [] }
}

/** Earlier messages before those that the page has. */
export function joined(earlier: ChatMessage[], messages: ChatMessage[]): ChatMessage[] {
  const known = new Set(messages.map(({ id }) => id))
  return [...earlier.filter(({ id }) => !known.has(id)), ...messages]
}

/** A promise that is resolved from outside. */
function once<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>(done => (resolve = done))
  return { promise, resolve: value => resolve(value) }
}
