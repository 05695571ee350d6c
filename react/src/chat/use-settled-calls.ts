'use client'
import { isToolUIPart } from 'ai'
import { useEffect, useState } from 'react'
import type { ToolResponse } from 'toolgate'
import { placeName } from '../question/card-outcome.js'
import type { ChatMessage } from './chat-message.js'
import { type ToolPart, answeredPart } from './tool-activity.js'

/** The result of an approved call, which the history and the page do not show yet. */
interface SettledCall {
  callId: string | null
  response: ToolResponse
  /** The user's message about it; `null` if another server gives the result to the model. */
  text: string | null
}

interface SettledCallsOptions {
  isBusy: boolean
  setMessages(change: (messages: ChatMessage[]) => ChatMessage[]): void
  sendMessage(message: { text: string }): unknown
}

/**
 * Puts results of approved calls in the place of their questions, and has the model speak about them. A running answer replaces
 * its message with each of its parts, and no message can be sent meanwhile: outcomes wait for its end. Those of calls that are
 * approved together become one message.
 */
export function useSettledCalls({ isBusy, setMessages, sendMessage }: SettledCallsOptions) {
  const [outcomes, setOutcomes] = useState<SettledCall[]>([])
  /** Tokens of answers that are being sent. */
  const [sending, setSending] = useState<string[]>([])
  const isOpen = isBusy || sending.length > 0
  useEffect(() => {
    if (isOpen || outcomes.length === 0) return
    setOutcomes([])
    setMessages(messages => messages.map(message => outcomes.reduce(withOutcome, message)))
    const texts = outcomes.flatMap(({ text }) => text ?? [])
    if (texts.length > 0) void sendMessage({ text: texts.join('\n') })
  }, [isOpen, outcomes])
  return {
    add: (outcome: SettledCall) => setOutcomes(known => [...known, outcome]),
    setSending: (token: string, isSending: boolean) =>
      setSending(known => [...known.filter(other => other !== token), ...(isSending ? [token] : [])]),
  }
}

/** The user's message about a call that they approved. */
export function settledText(preview: string, { ok, meta }: ToolResponse): string {
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
