'use client'
import { useEffect, useRef, useState } from 'react'
import { type ChatAddress, getFrom } from './chat-api.js'

/** A chat of the user, in their list. */
export interface ListedChat {
  id: string
  /** Its first message. */
  title: string
  updatedAt: string
}

/** The chat of a user who has one only. */
const FIRST = 'main'

/** Which of the user's chats the page shows. One that the app names anew is opened. @param named by the app */
export function useOpenedChat(named: string = FIRST) {
  const [opened, setOpened] = useState({ named, id: named, isNew: false })
  let now = opened
  if (now.named !== named) setOpened((now = { named, id: named, isNew: false }))
  return {
    id: now.id,
    /** Whether the server has nothing of it yet. */
    isNew: now.isNew,
    open: (id: string) => setOpened({ named, id, isNew: false }),
    startNew: () => setOpened({ named, id: crypto.randomUUID(), isNew: true }),
  }
}

interface ListOptions {
  address: ChatAddress
  /** Whether the browser may have chats. */
  isKnown: boolean
  isBusy: boolean
  hasMessages: boolean
}

/** The user's chats, the newest first: read anew once an answer is over. */
export function useChatList({ address, isKnown, isBusy, hasMessages }: ListOptions): ListedChat[] {
  const [chats, setChats] = useState<ListedChat[]>([])
  const requests = useRef(0)
  const hasAny = isKnown || hasMessages
  useEffect(() => {
    if (!hasAny || isBusy) return
    const request = (requests.current += 1)
    void readList(address.api).then(read => read && request === requests.current && setChats(read))
  }, [hasAny, isBusy, address.api])
  return chats
}

/** Null if it cannot be read now: the list that is shown stays. */
async function readList(api: string): Promise<ListedChat[] | null> {
  const answer = await getFrom({ api }, 'conversations').catch(() => null)
  return answer?.ok ? (await answer.json()).conversations : null
}
