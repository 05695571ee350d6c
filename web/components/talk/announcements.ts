// The conversation's statements for screen readers; `Announcer` announces new ones.
import type { ToolgateCall, ToolgateChat } from 'toolgate-react'

interface Facts {
  chat: ToolgateChat
  call: ToolgateCall
  locked: boolean
  /** The call's status text. */
  word: string
}

export function announcements({ chat, call, locked, word }: Facts): string[] {
  const { entries } = call.state.log
  const asking = [
    ...chat.cards.map(({ card }) => card.preview),
    ...chat.questions.map(({ card }) => card.preview),
    ...entries.flatMap(entry =>
      entry.kind === 'card' && entry.state.phase === 'asking' ? [entry.request.preview] : [],
    ),
  ]
  const notes = entries.flatMap(entry => (entry.kind === 'note' ? [entry.text] : []))
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
function lastAnswer({ messages }: ToolgateChat): string {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return ''
  return last.parts.map(part => (part.type === 'text' ? part.text : '')).join(' ')
}
