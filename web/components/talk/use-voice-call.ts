'use client'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { VoiceCall } from '@/lib/voice/voice-call'

/** This page's voice call, idle at first. */
export function useVoiceCall(url: string | null) {
  const [call] = useState(() => new VoiceCall(url ?? ''))
  const state = useSyncExternalStore(call.subscribe, call.read, call.readInitial)
  useEffect(() => {
    const retry = () => call.retry()
    addEventListener('online', retry)
    return () => {
      removeEventListener('online', retry)
      call.leave()
    }
  }, [call])
  const isOn = state.link.phase !== 'idle' && state.link.phase !== 'over'
  return { call, state, isOn, isLive: state.link.phase === 'live' }
}
