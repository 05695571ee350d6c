'use client'
import type { ReactNode } from 'react'
import { Field, Input } from '@/components/ui/field'
import styles from './sessions.module.css'

/** A form, so that a search has an address. */
export function SessionSearch({ sought, children }: { sought: string; children: ReactNode }) {
  return (
    <search>
      <form action="/inspector/sessions" className={styles.search}>
        <Field label="Search">
          {control => (
            <Input
              {...control}
              key={sought}
              type="search"
              name="search"
              maxLength={200}
              placeholder="Call id, tool, person"
              autoComplete="off"
              defaultValue={sought}
            />
          )}
        </Field>
        {children}
      </form>
    </search>
  )
}
