'use client'
import { Field, Input } from '@/components/ui/field'
import { Switch } from '@/components/ui/switch'
import styles from './try-it.module.css'
import type { CallSettings } from './use-call-draft'

/** The call's settings besides its name and arguments. */
export function CallOptions({
  settings,
  onChoose,
}: {
  settings: CallSettings
  onChoose(change: Partial<CallSettings>): void
}) {
  return (
    <details className={styles.options}>
      <summary>Turn, call id and roles</summary>
      <div className={styles.panel}>
        <Switch
          label="Begin a turn with each call"
          checked={settings.newTurn}
          onCheckedChange={newTurn => onChoose({ newTurn })}
        />
        <Field
          label="Call id"
          hint="As a provider would send it. The same id again replays the first answer; empty means none."
        >
          {control => (
            <Input
              {...control}
              className={styles.mono}
              spellCheck={false}
              autoComplete="off"
              maxLength={256}
              placeholder="call_abc123456789"
              value={settings.id}
              onChange={({ target }) => onChoose({ id: target.value })}
            />
          )}
        </Field>
        <Field label="Roles" hint="Of the session, separated by commas.">
          {control => (
            <Input
              {...control}
              spellCheck={false}
              autoComplete="off"
              placeholder="admin"
              value={settings.roles}
              onChange={({ target }) => onChoose({ roles: target.value })}
            />
          )}
        </Field>
      </div>
    </details>
  )
}
