'use client'
import { isToolUIPart } from 'ai'
import { useEffect } from 'react'
import type { ToolResponse } from 'toolgate'
import type { ChatMessage } from './chat-message.js'
import { type ToolPart, answeredPart } from './tool-activity.js'
import { useStateOf } from './use-state-of.js'

/** What a question came to, which the model does not know yet. */
interface Decided {
  callId: string | null
  /** Of a call that ran for this page; null if it did not, or elsewhere. */
  response: ToolResponse | null
  /** Whether this chat's model hears of it: that of a voice call hears it from the voice server. */
  isTold: boolean
}

interface SettledCallsOptions {
  of: string
  isBusy: boolean
  setMessages(change: (messages: ChatMessage[]) => ChatMessage[]): void
  /** Has the model go on from the decisions that the server has. */
  goOn(): void
}

/**
 * Puts results of approved calls in the place of their questions, and has the model go on. A running answer replaces its message with
 * each of its parts, and none can begin meanwhile: decisions wait for its end, and those that are sent together reach the model together.
 */
export function useSettledCalls({ of, isBusy, setMessages, goOn }: SettledCallsOptions) {
  const [decisions, setDecisions] = useStateOf<Decided[]>(of, () => [])
  /** Tokens of answers that are being sent. */
  const [sending, setSending] = useStateOf<string[]>(of, () => [])
  const isOpen = isBusy || sending.length > 0
  useEffect(() => {
    if (isOpen || decisions.length === 0) return
    setDecisions(() => [])
    setMessages(messages => messages.map(message => decisions.reduce(withOutcome, message)))
    if (decisions.some(({ isTold }) => isTold)) goOn()
  }, [isOpen, decisions])
  return {
    add: (decided: Decided) => setDecisions(known => [...known, decided]),
    setSending: (token: string, isSending: boolean) =>
      setSending(known => [...known.filter(other => other !== token), ...(isSending ? [token] : [])]),
  }
}

/** The message, with the result in the place of the question. */
function withOutcome(message: ChatMessage, { callId, response }: Decided): ChatMessage {
  if (response === null) return message
  const parts = message.parts.map(part =>
    isToolUIPart(part) && part.toolCallId === callId ? answeredPart(part as ToolPart, response) : part,
  )
  return { ...message, parts }
}
