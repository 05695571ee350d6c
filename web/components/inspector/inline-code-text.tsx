'use client'
import { visible } from 'toolgate-react/parts'

/** A text of the gate or of a handler, with its parts between backticks as code. */
export function InlineCodeText({ text }: { text: string }) {
  return visible
    .text(text)
    .split('`')
    .map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))
}
