'use client'
import { useEffect, useRef } from 'react'
import { type ChatAddress, postTo } from './chat-api.js'
import type { SpeechEntry, VoiceEntry } from '../voice/voice-log.js'

/** Of a request, as the route takes them. */
const MAX_MESSAGES = 40
const MAX_CHARACTERS = 8000

/** Keeps what was said in voice calls with the conversation, so that a page that is loaded anew has it. */
export function useKeptSpeech(address: ChatAddress, entries: VoiceEntry[]): void {
  const kept = useRef(new Set<string>())
  // Keys are unique on one page only.
  const page = useRef('')
  const last = useRef(Promise.resolve())
  useEffect(() => {
    const fresh = entries.filter(entry => entry.kind === 'speech' && entry.final && !kept.current.has(entry.key))
    if (fresh.length === 0) return
    page.current ||= crypto.randomUUID()
    const messages = (fresh as SpeechEntry[])
      .filter(({ text }) => text.trim() !== '')
      .map(entry => messageOf(entry, page.current))
      .slice(-MAX_MESSAGES)
    for (const { key } of fresh) kept.current.add(key)
    // One after the other: they are kept in the order in which they were said.
    if (messages.length > 0) last.current = last.current.then(() => keep(address, messages))
  }, [entries])
}

function messageOf({ key, speaker, text }: SpeechEntry, page: string) {
  const parts = [{ type: 'text', text: text.trim().slice(0, MAX_CHARACTERS) }]
  return { id: `${page} ${key}`.slice(0, 128), role: speaker, parts }
}

/** A request that fails is left out: this page has the words. `keepalive`: the page may be closing. */
async function keep(address: ChatAddress, messages: object[]): Promise<void> {
  await postTo(address, 'conversation', { messages }, { keepalive: true }).catch(() => {})
}
