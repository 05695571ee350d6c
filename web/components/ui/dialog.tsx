'use client'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { IconButton } from './button'
import styles from './dialog.module.css'

interface DialogProps {
  open: boolean
  onOpenChange(open: boolean): void
  title: string
  /** Its purpose; read by screen readers with the title. */
  description?: string
  /** Its buttons. */
  footer?: ReactNode
  children?: ReactNode
}

/** A modal dialog: traps the focus and restores it on close; Escape closes. */
export function Dialog({ open, onOpenChange, title, description, footer, children }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={styles.scrim} />
        <Radix.Content className={styles.dialog} {...(description ? {} : { 'aria-describedby': undefined })}>
          <header className={styles.header}>
            <Radix.Title className={styles.title}>{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label="Close" size="s">
                <X size={16} aria-hidden="true" />
              </IconButton>
            </Radix.Close>
          </header>
          {description && <Radix.Description className={styles.description}>{description}</Radix.Description>}
          {children}
          {footer && <footer className={styles.footer}>{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
