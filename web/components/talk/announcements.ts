// What a screen reader is told of the conversation, as a list of what is true: `Announcer` says what is new in it.
import type { CallState } from '@/lib/voice/voice-call'
import type { AskedCard, useTextChat } from './use-text-chat'

interface Facts {
  chat: ReturnType<typeof useTextChat>
  state: CallState
  /** Of a call that runs elsewhere. */
  questions: AskedCard[]
  locked: boolean
  /** The call's state. */
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

/** Each answer once, also where it is the same as one before. */
function lastAnswer({ messages }: ReturnType<typeof useTextChat>): string {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return ''
  return last.parts.map(part => (part.type === 'text' ? part.text : '')).join(' ')
}
