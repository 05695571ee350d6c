import type { NewGrant } from 'toolgate'
import { Field, Select } from '@/components/ui/field'
import styles from './confirmation-card.module.css'

/** How long a grant of the page holds, and for how many calls. */
const GRANT = { calls: 20, ttlMs: 10 * 60 * 1000 }

export const grantOf = (scope: NewGrant['scope'] | null): NewGrant | undefined =>
  scope === null ? undefined : { scope, ...GRANT }

interface GrantChoiceProps {
  /** The widest scope that the tool allows. */
  grantable: NewGrant['scope']
  disabled: boolean
  scope: NewGrant['scope'] | null
  onScope(scope: NewGrant['scope'] | null): void
}

/** Whether an approval lets later calls run without a question. */
export function GrantChoice({ grantable, disabled, scope, onScope }: GrantChoiceProps) {
  return (
    <div className={styles.grant}>
      <Field label="Later calls">
        {control => (
          <Select
            {...control}
            disabled={disabled}
            value={scope ?? ''}
            onChange={({ target }) => onScope(target.value === '' ? null : (target.value as NewGrant['scope']))}
          >
            <option value="">Ask me each time</option>
            <option value="args">Don’t ask again for 10 minutes, for the same arguments</option>
            {grantable === 'tool' && (
              <option value="tool">Don’t ask again for 10 minutes, whatever the arguments</option>
            )}
          </Select>
        )}
      </Field>
    </div>
  )
}
