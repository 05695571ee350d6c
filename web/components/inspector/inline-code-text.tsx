'use client'
import { useVisibleText } from '@/components/ui/visible-text'

/** A text of the gate or of a handler, with its parts between backticks as code. */
export function InlineCodeText({ text }: { text: string }) {
  const visible = useVisibleText()
  return visible
    .text(text)
    .split('`')
    .map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))
}
