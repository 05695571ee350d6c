'use client'
import { Check, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../controls/button.js'
import { useDeliberate } from './use-deliberate.js'

export type Decision = 'approve' | 'deny'

interface DecisionButtonsProps {
  disabled: boolean
  /** Of the approval; null: the user cannot approve. */
  label?: string | null
  /** Of the denial. */
  denial?: string
  /** More buttons. */
  children?: ReactNode
  onDecide(decision: Decision): void
}

/** The answers to a confirmation. Clicks that its user cannot have meant for it are ignored, see `useDeliberate`. */
export function DecisionButtons({ disabled, children, onDecide, ...labels }: DecisionButtonsProps) {
  const { label = 'Approve', denial = 'Deny' } = labels
  const isDeliberate = useDeliberate()
  const shared = { disabled, 'aria-disabled': !isDeliberate }
  const decide = (decision: Decision) => isDeliberate && onDecide(decision)
  return (
    <div data-toolgate="actions">
      {label !== null && (
        <Button
          variant="primary"
          icon={<Check size={15} aria-hidden="true" />}
          {...shared}
          onClick={() => decide('approve')}
        >
          {label}
        </Button>
      )}
      <Button icon={<X size={15} aria-hidden="true" />} {...shared} onClick={() => decide('deny')}>
        {denial}
      </Button>
      {children}
    </div>
  )
}
