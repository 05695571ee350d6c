'use client'
import { type ReactNode, createContext, useContext, useMemo } from 'react'
import { type VisibleText, visibleText } from '@/lib/visible-text'

const Context = createContext<VisibleText | null>(null)

/** Gives the page the characters that the core escapes: a browser can't call it. */
export function VisibleTextProvider({ hidden, children }: { hidden: string; children: ReactNode }) {
  const visible = useMemo(() => visibleText(hidden), [hidden])
  return <Context value={visible}>{children}</Context>
}

/** How to show arguments, results and messages. */
export function useVisibleText(): VisibleText {
  const visible = useContext(Context)
  if (visible === null) throw new Error('`useVisibleText` needs a `VisibleTextProvider` around it')
  return visible
}
