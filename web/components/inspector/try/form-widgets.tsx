'use client'
import { type EnumOptionsType, type RegistryWidgetsType, type WidgetProps, ariaDescribedByIds } from '@rjsf/utils'
import { Select } from '@/components/ui/field'
import styles from './schema-form.module.css'

/** A multiple choice; an empty choice is omitted. */
function Several({ id, options, value, disabled, readonly, onChange }: WidgetProps) {
  const chosen: unknown[] = Array.isArray(value) ? value : []
  const choose = (entry: unknown, isChosen: boolean) => {
    const next = isChosen ? [...chosen, entry] : chosen.filter(other => other !== entry)
    onChange(next.length === 0 ? undefined : next)
  }
  return (
    <div className={styles.several} id={id}>
      {(options.enumOptions ?? []).map((entry, place) => (
        <label key={place}>
          <input
            type="checkbox"
            disabled={disabled || readonly}
            checked={chosen.includes(entry.value)}
            onChange={({ target }) => choose(entry.value, target.checked)}
          />
          {textOf(entry)}
        </label>
      ))}
    </div>
  )
}

const textOf = ({ label, value }: EnumOptionsType) => (typeof value === 'boolean' ? String(value) : label)

/** The choice between a schema's alternatives is a normal widget, but one alternative is always chosen. */
const isAlternative = (id: string) => /__(one|any)of_select$/.test(id)

const SelectOrSeveral = (props: WidgetProps) => (props.multiple ? <Several {...props} /> : <Choice {...props} />)

/** A single choice with an empty option: the gate fills an omitted value, and the form shows its default. */
function Choice({
  id,
  schema,
  options,
  value,
  disabled,
  readonly,
  required,
  rawErrors,
  onChange,
  onBlur,
  onFocus,
}: WidgetProps) {
  const entries = options.enumOptions ?? []
  const chosen = entries.findIndex(entry => entry.value === value)
  const standard = schema.default === undefined ? '' : ` (then ${JSON.stringify(schema.default)})`
  return (
    <Select
      id={id}
      value={chosen < 0 ? '' : String(chosen)}
      disabled={disabled || readonly}
      aria-label={isAlternative(id) ? 'Which alternative' : undefined}
      aria-required={required}
      aria-invalid={rawErrors && rawErrors.length > 0 ? true : undefined}
      aria-describedby={ariaDescribedByIds(id)}
      onChange={({ target }) => onChange(entries[Number(target.value || NaN)]?.value)}
      onBlur={() => onBlur(id, value)}
      onFocus={() => onFocus(id, value)}
    >
      {!isAlternative(id) && <option value="">left out{standard}</option>}
      {entries.map((entry, place) => (
        <option key={place} value={place}>
          {textOf(entry)}
        </option>
      ))}
    </Select>
  )
}

/** A boolean needs three states: an unchecked box could mean `false` or omitted. */
export const formWidgets: RegistryWidgetsType = {
  SelectWidget: SelectOrSeveral,
  CheckboxesWidget: Several,
  CheckboxWidget: Choice,
  RadioWidget: Choice,
}
