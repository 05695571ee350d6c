// The conversation's statements for screen readers; `Announcer` announces new ones.
import type { CallState } from '@/lib/voice/voice-call'
import type { AskedCard } from './use-asked-cards'
import type { useTextChat } from './use-text-chat'

interface Facts {
  chat: ReturnType<typeof useTextChat>
  state: CallState
  /** Of a call outside of this window. */
  questions: AskedCard[]
  locked: boolean
  /** The call's status text. */
  word: string
}

export function announcements({ chat, state, questions, locked, word }: Facts): string[] {
  const asking = [
    ...chat.cards.map(({ card }) => card.preview),
    ...questions.map(({ card }) => card.preview),
    ...state.log.entries.flatMap(entry =>
      entry.kind === 'card' && entry.state.phase === 'asking' ? [entry.request.preview] : [],
    ),
  ]
  const notes = state.log.entries.flatMap(entry => (entry.kind === 'note' ? [entry.text] : []))
  const all = [
    chat.isBusy ? 'Thinking' : lastAnswer(chat),
    word,
    ...asking.map(preview => `Needs your consent: ${preview}`),
    ...notes,
    locked ? 'The conversation is paused' : '',
  ]
  return all.map(text => text.replaceAll(/\s+/g, ' '))
}

/** The text of the last answer. It is announced once, even if an earlier answer was the same. */
function lastAnswer({ messages }: ReturnType<typeof useTextChat>): string {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return ''
  return last.parts.map(part => (part.type === 'text' ? part.text : '')).join(' ')
}
