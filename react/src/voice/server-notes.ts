// What the voice server says itself, as notes of the conversation.
import type { AnswerIncompleteFrame, LineFrame } from './frames.js'

const LINES: Record<string, string> = { reconnecting: 'The connection to the assistant is restored.' }
const INCOMPLETE: Record<string, string> = {
  empty: 'The assistant has given no answer. Please ask again.',
  cut: 'The answer was cut off.',
  failed: 'The assistant could not answer. Please try again.',
}

/** `null`: the line is a sound, and the page has nothing to show for it. */
export function lineText({ kind, text }: LineFrame): string | null {
  return text ?? LINES[kind] ?? null
}

export function incompleteText({ reason }: AnswerIncompleteFrame): string {
  return INCOMPLETE[reason] ?? 'The answer is incomplete.'
}
