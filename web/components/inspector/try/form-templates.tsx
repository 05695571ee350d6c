'use client'
// The templates of forms that are made from a schema.
import {
  type ArrayFieldItemTemplateProps,
  type FieldErrorProps,
  type FieldTemplateProps,
  type IconButtonProps,
  type MultiSchemaFieldTemplateProps,
  type TemplatesType,
  type TitleFieldProps,
  type ArrayFieldTitleProps,
  descriptionId,
  errorId,
  titleId,
} from '@rjsf/utils'
import { ArrowDown, ArrowUp, Copy, Plus, X } from 'lucide-react'
import type { ComponentType } from 'react'
import { Badge } from '@/components/ui/badge'
import { Button, IconButton } from '@/components/ui/button'
import styles from './schema-form.module.css'

function Field(props: FieldTemplateProps) {
  const { id, label, required, displayLabel, rawDescription, schema, children, errors, hidden, fieldPathId } = props
  if (hidden) return null
  // A group of checkboxes: its label belongs to no single control.
  const isGroup = schema.type === 'array' && displayLabel
  const isNamed = displayLabel || schema.type === 'boolean'
  // A list entry needs no label: its position is visible.
  const isEntry = typeof fieldPathId.path.at(-1) === 'number'
  const name = <Name label={label} isRequired={required === true && !isEntry} />
  return (
    <div className={styles.field} {...(isGroup && { role: 'group', 'aria-labelledby': titleId(fieldPathId) })}>
      {isNamed &&
        (isGroup ? (
          <p id={titleId(fieldPathId)} className={styles.label}>
            {name}
          </p>
        ) : (
          <label htmlFor={id} className={isEntry ? 'visually-hidden' : styles.label}>
            {name}
          </label>
        ))}
      {children}
      {isNamed && rawDescription && (
        <p id={descriptionId(id)} className={styles.hint}>
          {rawDescription}
        </p>
      )}
      {errors}
    </div>
  )
}

function Name({ label, isRequired }: { label: string; isRequired: boolean }) {
  return (
    <>
      <code>{label}</code> {isRequired && <Badge tone="live">required</Badge>}
    </>
  )
}

function FieldError({ errors = [], fieldPathId }: FieldErrorProps) {
  if (errors.length === 0) return null
  return (
    <ul id={errorId(fieldPathId)} className={styles.errors}>
      {errors.map((error, place) => (
        <li key={place}>{error}</li>
      ))}
    </ul>
  )
}

const Title = ({ id, title, required }: TitleFieldProps) => (
  <legend id={id} className={styles.label}>
    <Name label={title} isRequired={required === true} />
  </legend>
)

const ListTitle = ({ fieldPathId, title, required }: ArrayFieldTitleProps) =>
  title ? <Title {...({ id: titleId(fieldPathId), title, required } as TitleFieldProps)} /> : null

function ListItem({ children, buttonsProps, hasToolbar, registry }: ArrayFieldItemTemplateProps) {
  const { ArrayFieldItemButtonsTemplate } = registry.templates
  return (
    <div className={styles.item}>
      <div>{children}</div>
      {hasToolbar && (
        <div className={styles.itemButtons}>
          <ArrayFieldItemButtonsTemplate {...buttonsProps} />
        </div>
      )}
    </div>
  )
}

/** The choice between alternatives, and the fields of the chosen one. */
const Alternatives = ({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) => (
  <div className={styles.alternatives}>
    {selector}
    {optionSchemaField}
  </div>
)

/** A button of a list or of a list entry. */
function listButton(label: string, Icon: ComponentType<{ size: number; 'aria-hidden': 'true' }>) {
  return function ListButton({ id, onClick, disabled }: IconButtonProps) {
    return (
      <IconButton id={id} size="s" label={label} onClick={onClick} disabled={disabled}>
        <Icon size={14} aria-hidden="true" />
      </IconButton>
    )
  }
}

const AddButton = ({ id, onClick, disabled }: IconButtonProps) => (
  <Button
    id={id}
    size="s"
    icon={<Plus size={14} aria-hidden="true" />}
    onClick={onClick}
    disabled={disabled}
    className={styles.add}
  >
    Add
  </Button>
)

export const formTemplates: Partial<Omit<TemplatesType, 'ButtonTemplates'>> & {
  ButtonTemplates: Partial<TemplatesType['ButtonTemplates']>
} = {
  FieldTemplate: Field,
  FieldErrorTemplate: FieldError,
  TitleFieldTemplate: Title,
  ArrayFieldTitleTemplate: ListTitle,
  ArrayFieldItemTemplate: ListItem,
  MultiSchemaFieldTemplate: Alternatives,
  ButtonTemplates: {
    AddButton,
    RemoveButton: listButton('Remove', X),
    MoveUpButton: listButton('Move up', ArrowUp),
    MoveDownButton: listButton('Move down', ArrowDown),
    CopyButton: listButton('Copy', Copy),
  },
}
