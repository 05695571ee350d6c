'use client'
import { useVisibleText } from '@/components/ui/visible-text'
import { placeName } from '@/lib/card-outcome'
import type { Edit, Outcome } from './confirmation-card'
import styles from './confirmation-card.module.css'
import { FieldTable } from './field-table'
import table from './field-table.module.css'
import { SlotPicker } from './slot-picker'

interface SettledOutcomeProps {
  edits?: Edit[]
  outcome?: Outcome
  title: string
  onSend?(text: string): void
}

/** What came of an approved call: what its user changed, its result, or the times that its refusal offers. */
export function SettledOutcome({ edits = [], outcome, title, onSend }: SettledOutcomeProps) {
  const { data, freeTimes = [] } = outcome ?? {}
  return (
    <div className={styles.outcome}>
      {edits.length > 0 && <ChangeList edits={edits} />}
      {data !== undefined && <FieldTable caption="Result" value={data} />}
      {freeTimes.length > 0 && (
        <SlotPicker choice={{ title: `Free times for: ${title}`, slots: freeTimes, time_zone: '' }} onPick={onSend} />
      )}
    </div>
  )
}

/** What the user has changed of a call that ran, as its answer says. */
function ChangeList({ edits }: { edits: Edit[] }) {
  const visible = useVisibleText()
  const shown = (value: unknown) => visible.text(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  return (
    <table className={table.table}>
      <caption className="visually-hidden">Your changes</caption>
      <tbody>
        {edits.map(({ path, ...edit }) => (
          <tr key={path}>
            <th scope="row">
              <bdi>{visible.text(placeName(path))}</bdi>
            </th>
            <td>{'value' in edit ? <bdi>{shown(edit.value)}</bdi> : 'changed'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
