'use client'
import { Play, Square } from 'lucide-react'
import type { RJSFSchema } from '@rjsf/utils'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Field, Input, Select, TextArea } from '@/components/ui/field'
import { Notice } from '@/components/ui/notice'
import { Tab, TabList, TabPanel, Tabs } from '@/components/ui/tabs'
import type { ToolSummary } from '@/lib/inspector/tool-view'
import { CallOptions } from './call-options'
import { FormErrorBoundary, NoForm } from './form-error-boundary'
import { SchemaForm } from './schema-form'
import styles from './try-it.module.css'
import type { CallDraft, EditorView } from './use-call-draft'

const FORM = 'inspector-call'

interface CallEditorProps {
  draft: CallDraft
  tools: ToolSummary[]
  modes: string[]
  isRunning: boolean
  onRun(): void
  onCancel(): void
}

/** Edits the call: by a form, as JSON, or as raw text under any name. */
export function CallEditor({ draft, tools, modes, isRunning, onRun, onCancel }: CallEditorProps) {
  const { view, settings, choose } = draft
  return (
    <Card className={styles.editor} aria-label="Call">
      <div className={styles.row}>
        <Field label="Tool">
          {control => (
            <Select
              {...control}
              className={styles.mono}
              value={draft.toolId}
              onChange={({ target }) => draft.chooseTool(target.value)}
            >
              {tools.map(({ toolId }) => (
                <option key={toolId}>{toolId}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Mode">
          {control => (
            <Select {...control} value={settings.mode} onChange={({ target }) => choose({ mode: target.value })}>
              {modes.map(mode => (
                <option key={mode}>{mode}</option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <ModeNote draft={draft} />
      <Tabs value={view} onValueChange={chosen => draft.chooseView(chosen as EditorView)}>
        <TabList aria-label="How the arguments are written">
          <Tab value="form">Form</Tab>
          <Tab value="json">JSON</Tab>
          <Tab value="raw">Raw call</Tab>
        </TabList>
        <TabPanel value="form" className={styles.panel}>
          <FormPanel draft={draft} onRun={onRun} />
        </TabPanel>
        <TabPanel value="json" className={styles.panel}>
          <Examples draft={draft} />
          <ArgumentsText draft={draft} hint="Sent as it is written: it need not fit the schema, nor be JSON." />
        </TabPanel>
        <TabPanel value="raw" className={styles.panel}>
          <Field label="Name" hint="Any name; a model can make one up.">
            {control => (
              <Input
                {...control}
                className={styles.mono}
                spellCheck={false}
                autoComplete="off"
                value={draft.rawName}
                onChange={({ target }) => draft.setRawName(target.value)}
              />
            )}
          </Field>
          <ArgumentsText draft={draft} hint="Any text: cut off, nested too deep, with properties of your own." />
        </TabPanel>
      </Tabs>
      <CallOptions settings={settings} onChoose={choose} />
      <div className={styles.actions}>
        <Button
          variant="primary"
          icon={<Play size={15} aria-hidden="true" />}
          disabled={isRunning || !draft.canRun}
          {...(view === 'form' ? { type: 'submit', form: FORM } : { onClick: onRun })}
        >
          {isRunning ? 'Running…' : 'Run'}
        </Button>
        {isRunning && (
          <Button icon={<Square size={13} aria-hidden="true" />} onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </Card>
  )
}

function ModeNote({ draft: { tool, settings } }: { draft: CallDraft }) {
  if (tool === null || tool.allowedModes.includes(settings.mode)) return null
  return (
    <Notice tone="ask">
      Not allowed in {settings.mode}: the gate will refuse it. It is allowed in {tool.allowedModes.join(', ')}.
    </Notice>
  )
}

function FormPanel({ draft, onRun }: { draft: CallDraft; onRun(): void }) {
  const { tool, validator, problem, isText, args, setArgs } = draft
  if (problem !== null) return <Notice tone="stop">{problem}</Notice>
  if (tool === null) return <p className={styles.soft}>The form is being made…</p>
  if (validator === null) return <NoForm />
  return (
    <>
      <Examples draft={draft} />
      {!isText && (
        <Notice tone="ask">
          The JSON view holds something that no form can show. It is kept there until the form is changed.
        </Notice>
      )}
      <FormErrorBoundary key={tool.toolId}>
        <SchemaForm
          id={FORM}
          validator={validator}
          schema={tool.jsonSchema as RJSFSchema}
          value={args}
          onChange={setArgs}
          onSubmit={onRun}
        />
      </FormErrorBoundary>
    </>
  )
}

function Examples({ draft }: { draft: CallDraft }) {
  const examples = draft.tool?.compiled?.examples ?? []
  if (examples.length === 0) return null
  return (
    <div className={styles.examples} role="group" aria-label="Fill with an example">
      <span className={styles.soft}>Fill with</span>
      {examples.map((example, place) => (
        <Button key={place} size="s" onClick={() => draft.fill(example)}>
          example {place + 1}
        </Button>
      ))}
      <Button size="s" variant="quiet" onClick={() => draft.fill({})}>
        nothing
      </Button>
    </div>
  )
}

function ArgumentsText({ draft, hint }: { draft: CallDraft; hint: string }) {
  return (
    <Field label="Arguments" hint={hint}>
      {control => (
        <TextArea
          {...control}
          className={styles.text}
          dir="ltr"
          rows={9}
          spellCheck={false}
          value={draft.text}
          onChange={({ target }) => draft.setText(target.value)}
        />
      )}
    </Field>
  )
}
