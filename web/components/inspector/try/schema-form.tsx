'use client'
import Form from '@rjsf/core'
import type { RJSFSchema, UiSchema, ValidatorType } from '@rjsf/utils'
import { useState } from 'react'
import { Notice } from '@/components/ui/notice'
import { formTemplates } from './form-templates'
import { formWidgets } from './form-widgets'
import styles from './schema-form.module.css'
import type { Arguments } from './use-call-draft'

// No values are filled in: the gate fills defaults, as for a model.
const NOTHING_FILLED = {
  emptyObjectFields: 'skipDefaults',
  arrayMinItems: { populate: 'never' },
  constAsDefaults: 'never',
  requiredBooleanDefault: 'skip',
} as const
const UI: UiSchema = { 'ui:submitButtonOptions': { norender: true }, 'ui:title': '', 'ui:description': '' }

interface SchemaFormProps {
  /** Id of the form, for a submit button outside of it. */
  id: string
  schema: RJSFSchema
  validator: ValidatorType
  value: Arguments
  onChange(value: Arguments): void
  onSubmit(): void
}

/** A form made from a tool's schema. It sends only valid values; anything else can be sent as JSON. */
export function SchemaForm({ id, schema, validator, value, onChange, onSubmit }: SchemaFormProps) {
  const [hasErrors, setHasErrors] = useState(false)
  return (
    <>
      <Form
        id={id}
        className={styles.form}
        schema={schema}
        uiSchema={UI}
        validator={validator}
        formData={value}
        templates={formTemplates}
        widgets={formWidgets}
        experimental_defaultFormStateBehavior={NOTHING_FILLED}
        noHtml5Validate
        showErrorList={false}
        focusOnFirstError
        onChange={({ formData, errors }) => {
          onChange(formData ?? {})
          if (errors.length === 0) setHasErrors(false)
        }}
        onError={() => setHasErrors(true)}
        onSubmit={() => {
          setHasErrors(false)
          onSubmit()
        }}
      />
      {Object.keys(schema.properties ?? {}).length === 0 && (
        <p className={styles.hint}>This tool takes no arguments.</p>
      )}
      {hasErrors && (
        <Notice tone="stop" role="alert">
          Not sent: some fields do not fit the schema. The JSON view sends them all the same.
        </Notice>
      )}
    </>
  )
}
