import type { NewGrant } from 'toolgate'
import { Field, Select } from '../controls/field.js'

/** How long a grant of the page holds, and for how many calls. */
const GRANT = { calls: 20, ttlMs: 10 * 60 * 1000 }

export const grantOf = (scope: NewGrant['scope'] | null): NewGrant | undefined =>
  scope === null ? undefined : { scope, ...GRANT }

/** After the outcome of an approval with a grant. */
export const GRANTED = ' Later calls run without a question for 10 minutes.'

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
    <div data-toolgate="grant-choice">
      <Field label="Later calls" hint={scope !== null && `At most ${GRANT.calls} calls. You can end it at any time.`}>
        {control => (
          <Select
            {...control}
            disabled={disabled}
            value={scope ?? ''}
            onChange={({ target }) => onScope(target.value === '' ? null : (target.value as NewGrant['scope']))}
          >
            <option value="">Ask me each time</option>
            <option value="args">Same arguments: don’t ask for 10 minutes</option>
            {grantable === 'tool' && <option value="tool">Any arguments: don’t ask for 10 minutes</option>}
          </Select>
        )}
      </Field>
    </div>
  )
}
