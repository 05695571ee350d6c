'use client'
import { Component, type ReactNode } from 'react'
import { Notice } from '@/components/ui/notice'

/** Error boundary: a schema that breaks the form library breaks only the form, not the page. */
export class FormErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? <NoForm /> : this.props.children
  }
}

export const NoForm = () => (
  <Notice tone="ask">No form can be made from this schema. Write the arguments as JSON.</Notice>
)
