'use client'
import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import styles from './tooltip.module.css'

export function TooltipProvider({ children }: { children: ReactNode }) {
  return <Radix.Provider delayDuration={400}>{children}</Radix.Provider>
}

/** A tooltip. The control needs its own accessible name, because touch screens show no tooltips. */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={styles.tooltip} sideOffset={6} collisionPadding={8}>
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
