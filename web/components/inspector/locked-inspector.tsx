'use client'
import { LockKeyhole } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Field, Input } from '@/components/ui/field'
import styles from './locked-inspector.module.css'

/** Asks for the inspector's secret. It is a form of HTML, so that it works before the page's scripts run. */
export function LockedInspector({ isRefused }: { isRefused: boolean }) {
  return (
    <div className={styles.page}>
      <Card className={styles.card}>
        <LockKeyhole size={22} aria-hidden="true" />
        <h1>The inspector is locked</h1>
        <p>
          It runs tools and shows every call, so it opens only by the link that the server has printed at its start.
          Look for <code>/inspector/open?secret=…</code> in its log, and open that link, or enter the secret here.
        </p>
        <form action="/inspector/open" method="post" className={styles.form}>
          <Field
            label="Secret"
            error={isRefused && 'This is not the secret of this server. A server that restarts prints a new one.'}
          >
            {control => (
              <Input
                {...control}
                name="secret"
                type="password"
                required
                autoComplete="off"
                autoFocus
                spellCheck={false}
              />
            )}
          </Field>
          <Button type="submit" variant="primary">
            Open the inspector
          </Button>
        </form>
      </Card>
    </div>
  )
}
