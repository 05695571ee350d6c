'use client'
import Link from 'next/link'
import { Button } from '@/components/ui/button'
import { EmptyState } from '@/components/ui/empty-state'
import { Field, Input, Select } from '@/components/ui/field'
import type { ToolSummary } from '@/lib/inspector/tool-view'
import { ToolBadges } from './tool-badges'
import styles from './tool-browser.module.css'
import { type ToolFilter, useToolFilter } from './use-tool-filter'

const SELECTS = [
  { name: 'category', label: 'Category', all: 'Any category' },
  { name: 'effect', label: 'Effect', all: 'Any effect' },
  { name: 'mode', label: 'Mode', all: 'Any mode' },
  { name: 'confirmation', label: 'Asks first', all: 'Any' },
] as const

/** All tools, with search and filters. */
export function ToolBrowser({ tools }: { tools: ToolSummary[] }) {
  const { filter, choices, found, isFiltered, choose, clear } = useToolFilter(tools)
  return (
    <div className={styles.browser}>
      <search className={styles.filters}>
        <Field label="Search">
          {control => (
            <Input
              {...control}
              type="search"
              placeholder="Name or words"
              autoComplete="off"
              value={filter.search}
              onChange={event => choose({ search: event.target.value })}
            />
          )}
        </Field>
        {SELECTS.map(({ name, label, all }) => (
          <Choice
            key={name}
            label={label}
            all={all}
            values={choices[name]}
            value={filter[name]}
            onChoose={value => choose({ [name]: value } as Partial<ToolFilter>)}
          />
        ))}
      </search>
      <p role="status" className={styles.count}>
        {isFiltered ? `${found.length} of ${tools.length} tools` : `${tools.length} tools`}
      </p>
      {found.length === 0 ? (
        <EmptyState title="No tool fits">
          <p>Fewer words or another choice may find it.</p>
          <p>
            <Button size="s" onClick={clear}>
              Clear the search
            </Button>
          </p>
        </EmptyState>
      ) : (
        <ul className={styles.list}>
          {found.map(tool => (
            <ToolRow key={tool.toolId} tool={tool} />
          ))}
        </ul>
      )}
    </div>
  )
}

interface ChoiceProps {
  label: string
  all: string
  values: string[]
  value: string
  onChoose(value: string): void
}

function Choice({ label, all, values, value, onChoose }: ChoiceProps) {
  return (
    <Field label={label}>
      {control => (
        <Select {...control} value={value} onChange={event => onChoose(event.target.value)}>
          <option value="">{all}</option>
          {values.map(entry => (
            <option key={entry}>{entry}</option>
          ))}
        </Select>
      )}
    </Field>
  )
}

function ToolRow({ tool }: { tool: ToolSummary }) {
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <h2>
          <Link href={`/inspector/tools/${tool.toolId}`} className={styles.link}>
            {tool.toolId}
          </Link>
        </h2>
        <p className={styles.title}>{tool.title}</p>
        <p className={styles.summary}>{tool.summary}</p>
      </div>
      <p className={styles.badges}>
        <ToolBadges tool={tool} />
      </p>
    </li>
  )
}
