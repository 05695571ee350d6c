'use client'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { CallClient } from './call-client.js'
import { useVoiceKey } from './use-voice-key.js'
import type { SpeechEntry, VoiceCard } from './voice-log.js'

export interface VoiceCallOptions {
  /** The voice server's address, `wss://…`; null if the page has no voice. */
  url: string | null
}

export type ToolgateCall = ReturnType<typeof useVoiceCall>

/** This page's voice call, idle until `start`. */
export function useVoiceCall({ url }: VoiceCallOptions) {
  const [client] = useState(() => new CallClient(url ?? ''))
  const state = useSyncExternalStore(client.subscribe, client.read, client.readInitial)
  const key = useVoiceKey()
  useEffect(() => {
    const retry = () => client.retry()
    addEventListener('online', retry)
    return () => {
      removeEventListener('online', retry)
      client.leave()
    }
  }, [client])
  const { entries, grants } = state.log
  return {
    kind: 'call' as const,
    client,
    state,
    /** Credentials of the voice call that this browser has; null if none. */
    key,
    isOn: state.link.phase !== 'idle' && state.link.phase !== 'over',
    isLive: state.link.phase === 'live',
    /** What was said, and typed into the call. */
    transcript: entries
      .filter((entry): entry is SpeechEntry => entry.kind === 'speech')
      .map(({ key: id, speaker, via, text, final, interrupted }) => ({ id, speaker, via, text, final, interrupted })),
    cards: entries.filter((entry): entry is VoiceCard => entry.kind === 'card'),
    grants,
    /** Begins or resumes the call. Must be called in a user gesture. @param request the first one, for the model to answer */
    start(request?: string) {
      void client.start(key, request)
      // A resumed session ignores the first request, so it is sent as typed text.
      if (key && request) client.say(request)
    },
    /** Types into the call. */
    say: (text: string) => client.say(text),
    mute: (isMuted: boolean) => client.mute(isMuted),
    end: () => client.end(),
  }
}
