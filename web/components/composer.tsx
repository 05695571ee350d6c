'use client'
import { type KeyboardEvent, type RefObject, useState } from 'react'

interface ComposerProps {
  field: RefObject<HTMLTextAreaElement | null>
  busy: boolean
  /** Why nothing can be sent now; shown in the field. */
  locked: string | null
  onSend(text: string): void
  onStop(): void
}

/** Enter sends, Shift+Enter makes a line, Escape stops a running answer. */
export function Composer({ field, busy, locked, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('')
  const sendable = !busy && !locked && text.trim() !== ''

  function submit() {
    if (!sendable) return
    onSend(text.trim())
    setText('')
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && busy) onStop()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <label htmlFor="message" className="visually-hidden">Message</label>
      <textarea
        id="message"
        ref={field}
        rows={1}
        autoFocus
        maxLength={16000}
        value={text}
        placeholder={locked ?? 'Write a message'}
        disabled={locked !== null}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {busy ? <button type="button" onClick={onStop}>Stop</button> : <button type="submit" disabled={!sendable}>Send</button>}
    </form>
  )
}
