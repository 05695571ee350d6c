'use client'
import { History, SquarePen } from 'lucide-react'
import { useState } from 'react'
import type { ToolgateChat } from 'toolgate-react'
import { momentText } from 'toolgate-react/parts'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import styles from './chat-menu.module.css'

interface ChatMenuProps {
  chat: ToolgateChat
  /** During a call, which belongs to the chat that is shown. */
  disabled: boolean
  /** Another chat is shown. */
  onChange(): void
}

/** Begins a chat, and shows an earlier one again. */
export function ChatMenu({ chat, disabled, onChange }: ChatMenuProps) {
  const [isOpen, setIsOpen] = useState(false)
  const { conversations, messages } = chat
  const hasOthers = conversations.some(({ id }) => id !== chat.id)
  if (messages.length === 0 && !hasOthers) return null
  const go = (change: () => void) => {
    setIsOpen(false)
    change()
    // Once the dialog has given the focus back.
    requestAnimationFrame(onChange)
  }
  return (
    <nav className={styles.menu} aria-label="Conversations">
      <Button
        size="s"
        variant="quiet"
        icon={<SquarePen size={14} aria-hidden="true" />}
        disabled={disabled || messages.length === 0}
        onClick={() => go(chat.startNew)}
      >
        New conversation
      </Button>
      {hasOthers && (
        <Button
          size="s"
          variant="quiet"
          icon={<History size={14} aria-hidden="true" />}
          disabled={disabled}
          onClick={() => setIsOpen(true)}
        >
          Earlier ones
        </Button>
      )}
      <Dialog open={isOpen} onOpenChange={setIsOpen} title="Your conversations">
        <ul className={styles.list}>
          {conversations.map(({ id, title, updatedAt }) => (
            <li key={id}>
              <button type="button" aria-current={id === chat.id || undefined} onClick={() => go(() => chat.open(id))}>
                <span dir="auto">{title || 'Without a title'}</span>
                <time dateTime={updatedAt}>{momentText(updatedAt)}</time>
              </button>
            </li>
          ))}
        </ul>
      </Dialog>
    </nav>
  )
}
