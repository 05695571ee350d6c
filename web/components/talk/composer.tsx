'use client'
import { ArrowUp, AudioLines, Square } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useState } from 'react'
import { Button, IconButton } from '@/components/ui/button'
import styles from './composer.module.css'

interface ComposerProps {
  field: RefObject<HTMLTextAreaElement | null>
  placeholder: string
  isBusy: boolean
  /** Reason that nothing can be sent now; shown in the field. */
  locked: string | null
  /** The button that begins a voice call; absent if none can begin. */
  talk?: { label: string; onTalk(): void }
  onSend(text: string): void
  onStop(): void
}

/** Enter sends, Shift+Enter adds a line, Escape stops a running answer. */
export function Composer({ field, placeholder, isBusy, locked, talk, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('')
  const canSend = !isBusy && !locked && text.trim() !== ''

  function submit() {
    if (!canSend) return
    onSend(text.trim())
    setText('')
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && isBusy) onStop()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }

  return (
    <form
      className={styles.composer}
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
    >
      <label htmlFor="message" className="visually-hidden">
        Message
      </label>
      <textarea
        id="message"
        ref={field}
        rows={1}
        dir="auto"
        autoFocus
        maxLength={8000}
        value={text}
        placeholder={locked ?? placeholder}
        disabled={locked !== null}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.actions}>
        {talk && (
          <Button
            icon={<AudioLines size={16} aria-hidden="true" />}
            disabled={isBusy || locked !== null}
            onClick={talk.onTalk}
          >
            {talk.label}
          </Button>
        )}
        {isBusy ? (
          <IconButton label="Stop" variant="secondary" onClick={onStop}>
            <Square size={14} fill="currentColor" aria-hidden="true" />
          </IconButton>
        ) : (
          <IconButton label="Send" type="submit" variant="primary" disabled={!canSend}>
            <ArrowUp size={18} aria-hidden="true" />
          </IconButton>
        )}
      </div>
    </form>
  )
}
