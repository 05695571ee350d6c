'use client'
import { X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { type ReactNode, createContext, useCallback, useContext, useRef, useState } from 'react'
import { classNames } from '@/lib/class-names'
import type { Tone } from './badge'
import { IconButton } from './button'
import styles from './toast.module.css'

interface Toast {
  id: number
  text: string
  tone: Tone
}

const Context = createContext<(text: string, tone?: Tone) => void>(() => {})

/** Shows a transient message, also to screen readers. Put important messages on the page instead. */
export const useToast = () => useContext(Context)

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([])
  const last = useRef(0)
  const tell = useCallback((text: string, tone: Tone = 'neutral') => {
    const id = (last.current += 1)
    setToasts(shown => [...shown, { id, text, tone }])
  }, [])
  return (
    <Context value={tell}>
      <Radix.Provider duration={5000}>
        {children}
        {toasts.map(({ id, text, tone }) => (
          <Radix.Root
            key={id}
            className={classNames(styles.toast, styles[tone])}
            onOpenChange={open => !open && setToasts(shown => shown.filter(toast => toast.id !== id))}
          >
            <Radix.Description>{text}</Radix.Description>
            <Radix.Close asChild>
              <IconButton label="Close" size="s">
                <X size={14} aria-hidden="true" />
              </IconButton>
            </Radix.Close>
          </Radix.Root>
        ))}
        <Radix.Viewport className={styles.viewport} />
      </Radix.Provider>
    </Context>
  )
}
