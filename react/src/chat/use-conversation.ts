'use client'
import { useEffect, useRef } from 'react'
import { RequestFailure, readRefusal, shownError } from '../text/read-error.js'
import { type ChatAddress, getFrom } from './chat-api.js'
import type { ChatMessage, PendingCard } from './chat-message.js'
import { useStateOf } from './use-state-of.js'

/** What the server has kept of a chat: its messages, and its pending confirmations. */
export interface KeptConversation {
  messages: ChatMessage[]
  pending: PendingCard[]
  /** Whether an answer is still being made, for a page that has been left or for another tab. */
  running?: boolean
}

/** Delay before it is loaded again while an answer of elsewhere is being made. */
const RUNNING_MS = 2000
/** Delays before the next attempt to load; the last one repeats. */
const BACKOFF_MS = [1000, 2000, 4000, 8000, 15_000]

interface ConversationEvents {
  /** It is there, for the first time. */
  onLoad(kept: KeptConversation): void
  /** Another tab has changed it. */
  onChange(kept: KeptConversation): void
  /** It cannot be loaded now; these questions are there nevertheless. */
  onPending(pending: PendingCard[]): void
}

/** Loads the kept conversation, again and again until it is there, and anew once another tab has changed it. */
export function useConversation(address: ChatAddress, events: ConversationEvents) {
  const latest = useRef(events)
  useEffect(() => void (latest.current = events))
  const [loader] = useStateOf(address.id, () => onceLoaded(address))
  const [failure, setFailure] = useStateOf<string | null>(address.id, () => null)
  const reload = useRef(() => Promise.resolve())
  const channel = useRef<BroadcastChannel | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    const whileRunning = ({ running }: KeptConversation) => {
      if (running) setTimeout(() => void reload.current(), RUNNING_MS)
    }
    reload.current = async () => {
      const kept = await loadConversation(address).catch(() => null)
      if (kept === null || stop.signal.aborted) return
      latest.current.onChange(kept)
      whileRunning(kept)
    }
    void untilLoaded(loader, stop.signal, async error => {
      setFailure(() => error && shownError(error).message)
      const pending = error && (await loadPending(address))
      if (pending && !stop.signal.aborted) latest.current.onPending(pending)
    }).then(kept => {
      if (kept === null || stop.signal.aborted) return
      latest.current.onLoad(kept)
      whileRunning(kept)
    })
    const others = new BroadcastChannel(`toolgate ${address.api} ${address.id}`)
    others.onmessage = () => void reload.current()
    channel.current = others
    return () => {
      stop.abort()
      others.close()
    }
  }, [loader])
  return {
    /** Why the conversation is not there yet; null if nothing is wrong. */
    failure,
    /** The messages before those of this page, for a message that is sent. @throws RequestFailure if they cannot be loaded */
    earlier: async () => (await loader.load()).messages,
    /** Lets the other tabs load it anew. */
    announce: () => channel.current?.postMessage('changed'),
    /** Loads it anew: a question of it was answered elsewhere. */
    reload: () => reload.current(),
  }
}

/** @throws RequestFailure if it cannot be loaded */
export async function loadConversation(address: ChatAddress): Promise<KeptConversation> {
  const answer = await getFrom(address, 'conversation')
  if (answer.ok) return answer.json()
  throw new RequestFailure(readRefusal(answer, await answer.text()))
}

async function loadPending(address: ChatAddress): Promise<PendingCard[]> {
  const answer = await getFrom(address, 'confirmations').catch(() => null)
  return answer?.ok ? (await answer.json()).pending : []
}

interface Loader {
  load(): Promise<KeptConversation>
}

/** One request at a time; what was loaded stays. */
function onceLoaded(address: ChatAddress): Loader {
  let loading: Promise<KeptConversation> | null = null
  return {
    load: () =>
      (loading ??= loadConversation(address).catch(error => {
        loading = null
        throw error
      })),
  }
}

async function untilLoaded(
  loader: Loader,
  signal: AbortSignal,
  onAttempt: (error: Error | null) => Promise<void>,
): Promise<KeptConversation | null> {
  for (let attempts = 0; !signal.aborted; attempts += 1) {
    try {
      const kept = await loader.load()
      if (signal.aborted) return null
      await onAttempt(null)
      return kept
    } catch (error) {
      if (signal.aborted) return null
      await onAttempt(error as Error)
      await nextAttempt(BACKOFF_MS[Math.min(attempts, BACKOFF_MS.length - 1)] ?? 0, signal)
    }
  }
  return null
}

/** After a pause, or once the browser is connected again. */
function nextAttempt(pauseMs: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const go = () => {
      clearTimeout(timer)
      removeEventListener('online', go)
      resolve()
    }
    const timer = setTimeout(go, pauseMs)
    addEventListener('online', go)
    signal.addEventListener('abort', go, { once: true })
  })
}

/** Earlier messages before those that the page has. */
export function joined(earlier: ChatMessage[], messages: ChatMessage[]): ChatMessage[] {
  const known = new Set(messages.map(({ id }) => id))
  return [...earlier.filter(({ id }) => !known.has(id)), ...messages]
}

/** The messages as another tab has left them, with those of this page that the server does not have. */
export function followed(kept: ChatMessage[], messages: ChatMessage[]): ChatMessage[] {
  const ids = new Set(kept.map(({ id }) => id))
  const last = messages.findLastIndex(({ id }) => ids.has(id))
  const older = messages.slice(0, last + 1).filter(({ id }) => !ids.has(id))
  return [...older, ...kept, ...messages.slice(last + 1)]
}
