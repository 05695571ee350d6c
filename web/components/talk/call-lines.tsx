'use client'
import Link from 'next/link'
import { type ComponentProps, type ReactNode, createContext, useContext } from 'react'
import { ToolCalls, visible } from 'toolgate-react/parts'
import { callHref } from '@/lib/inspector/run-links'
import styles from './call-lines.module.css'

const MayInspect = createContext(false)

/** Below it, each call leads to its page in the inspector, if this browser may open that. */
export function Inspectable({ mayInspect, children }: { mayInspect: boolean; children: ReactNode }) {
  return <MayInspect value={mayInspect}>{children}</MayInspect>
}

/** The calls of an answer. */
export function CallLines({ activities }: Pick<ComponentProps<typeof ToolCalls>, 'activities'>) {
  const mayInspect = useContext(MayInspect)
  return (
    <>
      <ToolCalls activities={activities} />
      {mayInspect && activities.length > 0 && (
        <p className={styles.links}>
          {activities.map(({ callId, title }) => (
            <Link key={callId} href={callHref(callId)} prefetch={false}>
              Inspect {visible.text(title)}
            </Link>
          ))}
        </p>
      )}
    </>
  )
}
