'use client'
import { Pause, Play, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Badge, type Tone } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { EmptyState } from '@/components/ui/empty-state'
import { Field, Input, Select } from '@/components/ui/field'
import { Notice } from '@/components/ui/notice'
import { type AuditFilter, type AuditItem, matchesFilter } from '@/lib/inspector/audit-lines'
import styles from './audit-log.module.css'
import { AuditRow } from './audit-row'
import { type StreamState, useAuditStream } from './use-audit-stream'

const STATES: Record<StreamState, { tone: Tone; text: string }> = {
  connecting: { tone: 'ask', text: 'connecting' },
  live: { tone: 'ok', text: 'live' },
  broken: { tone: 'stop', text: 'not connected' },
}
/** Maximum number of rows, to keep the page fast; filters find the others. */
const MOST_ROWS = 300

/** The server's audit log, live. */
export function AuditLog() {
  const { items, held, state, isPaused, pause, clear } = useAuditStream()
  const [filter, setFilter] = useState<AuditFilter>({ event: '', tool: '', search: '' })
  const found = useMemo(() => items.filter(item => matchesFilter(item, filter)), [items, filter])
  const { tone, text } = isPaused ? { tone: 'neutral' as const, text: 'paused' } : STATES[state]
  return (
    <div className={styles.log}>
      <div className={styles.bar}>
        <Filters items={items} filter={filter} onChoose={change => setFilter(chosen => ({ ...chosen, ...change }))} />
        <div className={styles.actions}>
          <Button
            icon={isPaused ? <Play size={15} aria-hidden="true" /> : <Pause size={15} aria-hidden="true" />}
            onClick={() => pause(!isPaused)}
          >
            {isPaused ? 'Go on' : 'Pause'}
          </Button>
          <Button
            variant="quiet"
            icon={<Trash2 size={15} aria-hidden="true" />}
            onClick={clear}
            disabled={items.length === 0}
          >
            Clear
          </Button>
        </div>
      </div>
      <p role="status" className={styles.state}>
        <Badge tone={tone}>{text}</Badge>
        {isPaused && held > 0 && <span>{held} new</span>}
      </p>
      {state === 'broken' && (
        <Notice tone="stop" role="alert">
          The stream was refused: too many pages may read it already. Reload this one to try again.
        </Notice>
      )}
      <Rows found={found} all={items.length} />
    </div>
  )
}

function Rows({ found, all }: { found: AuditItem[]; all: number }) {
  if (all === 0)
    return (
      <EmptyState title="Nothing yet">
        <p>Each call of this server, by whomever, is a line here. “Try it” makes some.</p>
      </EmptyState>
    )
  if (found.length === 0)
    return (
      <EmptyState title="No line fits">
        <p>{all} lines are kept on this page.</p>
      </EmptyState>
    )
  return (
    <>
      <p className={styles.count}>
        {found.length === all ? `${all} lines` : `${found.length} of ${all} lines`}, newest first
      </p>
      <ol className={styles.rows} aria-label="Audit lines">
        {found.slice(0, MOST_ROWS).map(item => (
          <AuditRow key={item.key} item={item} />
        ))}
      </ol>
      {found.length > MOST_ROWS && (
        <p className={styles.count}>{found.length - MOST_ROWS} older lines are not shown; a filter finds them.</p>
      )}
    </>
  )
}

interface FiltersProps {
  items: AuditItem[]
  filter: AuditFilter
  onChoose(change: Partial<AuditFilter>): void
}

function Filters({ items, filter, onChoose }: FiltersProps) {
  const lines = useMemo(() => items.flatMap(item => (item.kind === 'line' ? [item] : [])), [items])
  const events = useMemo(
    () =>
      distinct(
        lines.map(({ line }) => line.event),
        filter.event,
      ),
    [lines, filter.event],
  )
  const tools = useMemo(
    () =>
      distinct(
        lines.flatMap(({ tool }) => tool ?? []),
        filter.tool,
      ),
    [lines, filter.tool],
  )
  return (
    <search className={styles.filters}>
      <Field label="Event">
        {control => (
          <Select {...control} value={filter.event} onChange={({ target }) => onChoose({ event: target.value })}>
            <option value="">Any event</option>
            {events.map(event => (
              <option key={event}>{event}</option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Tool">
        {control => (
          <Select {...control} value={filter.tool} onChange={({ target }) => onChoose({ tool: target.value })}>
            <option value="">Any tool</option>
            {tools.map(tool => (
              <option key={tool}>{tool}</option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Search">
        {control => (
          <Input
            {...control}
            type="search"
            placeholder="Session, call id, words"
            autoComplete="off"
            value={filter.search}
            onChange={({ target }) => onChoose({ search: target.value })}
          />
        )}
      </Field>
    </search>
  )
}

/** The options, with the chosen one even if its lines are gone. */
const distinct = (values: string[], chosen: string) => [...new Set(chosen === '' ? values : [...values, chosen])].sort()
