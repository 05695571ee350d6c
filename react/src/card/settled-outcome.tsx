'use client'
import { visible } from '../text/visible-text.js'
import type { Change } from '../question/card-outcome.js'
import type { Outcome } from './card-status.js'
import { FieldTable } from './field-table.js'
import { SlotPicker } from './slot-picker.js'

interface SettledOutcomeProps {
  changes?: Change[]
  outcome?: Outcome
  title: string
  onSend?(text: string): void
}

/** What came of an approved call: what its user changed, its result, or the times that its refusal offers. */
export function SettledOutcome({ changes, outcome, title, onSend }: SettledOutcomeProps) {
  const { data, freeTimes = [] } = outcome ?? {}
  return (
    <div data-toolgate="outcome">
      {changes && <ChangeList changes={changes} />}
      {data !== undefined && (
        <div>
          {changes && <p data-part="title">Result</p>}
          <FieldTable caption="Result" value={data} />
        </div>
      )}
      {freeTimes.length > 0 && (
        <SlotPicker choice={{ title: `Free times for: ${title}`, slots: freeTimes }} onPick={onSend} />
      )}
    </div>
  )
}

/** What the user has changed of a call that ran, as its answer says. */
function ChangeList({ changes }: { changes: Change[] }) {
  return (
    <div>
      <p data-part="title">Your changes</p>
      <table data-toolgate="table">
        <caption data-toolgate="unseen">Your changes</caption>
        <tbody>
          {changes.map(({ name, before, after, isRemoved }) => (
            <tr key={name}>
              <th scope="row">
                <bdi>{visible.text(name)}</bdi>
              </th>
              <td>
                <ChangedValue before={before} after={after} isRemoved={isRemoved} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function ChangedValue({ before, after, isRemoved }: Omit<Change, 'name'>) {
  const shown = (value: unknown) => visible.text(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  return (
    <>
      {before !== undefined && shown(before) !== shown(after) && (
        <>
          <del>
            <bdi>{shortened(shown(before))}</bdi>
          </del>{' '}
        </>
      )}
      {after !== undefined ? <bdi>{shown(after)}</bdi> : isRemoved ? 'removed' : 'changed'}
    </>
  )
}

const MAX_BEFORE = 200

const shortened = (text: string): string => (text.length > MAX_BEFORE ? `${text.slice(0, MAX_BEFORE)}…` : text)
