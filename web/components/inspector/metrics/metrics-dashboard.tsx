'use client'
import { useState } from 'react'
import { EmptyState } from '@/components/ui/empty-state'
import { Field, Select } from '@/components/ui/field'
import { Notice } from '@/components/ui/notice'
import { Switch } from '@/components/ui/switch'
import type { Metrics } from 'toolgate'
import { bytesText, counterRows, errorsByType, latencies, sumsByTool, totalsOf } from '@/lib/inspector/metrics-view'
import { CallsOverTime } from './calls-over-time'
import { BytesByTool, CallsByTool, ErrorsByType, LatencyByTool, OtherOutcomes } from './charts'
import styles from './metrics.module.css'
import { type MetricsSample, useMetrics } from './use-metrics'

/** The gate's counters as numbers, charts and tables, updated every two seconds. */
export function MetricsDashboard() {
  const [isOn, setIsOn] = useState(true)
  const [mode, setMode] = useState('')
  const { metrics, samples, problem } = useMetrics(isOn)
  const modes = [...new Set(Object.values(metrics ?? {}).flatMap(byMode => Object.keys(byMode)))].sort()
  return (
    <div className={styles.board}>
      <div className={styles.bar}>
        <Field label="Mode">
          {control => (
            <Select {...control} value={mode} onChange={({ target }) => setMode(target.value)}>
              <option value="">All modes</option>
              {modes.map(name => (
                <option key={name}>{name}</option>
              ))}
            </Select>
          )}
        </Field>
        <Switch label="Keep up to date" checked={isOn} onCheckedChange={setIsOn} />
      </div>
      {problem !== null && (
        <Notice tone="stop" role="alert">
          {problem}
        </Notice>
      )}
      {metrics !== null && <DashboardContent metrics={metrics} mode={mode} samples={samples} />}
    </div>
  )
}

function DashboardContent({ metrics, mode, samples }: { metrics: Metrics; mode: string; samples: MetricsSample[] }) {
  const rows = counterRows(metrics, mode)
  const tools = sumsByTool(rows)
  if (rows.length === 0)
    return (
      <EmptyState title="Nothing was called yet">
        <p>Calls of this server are counted here, by whomever. “Try it” makes some.</p>
      </EmptyState>
    )
  return (
    <>
      <Tiles tools={tools} />
      <div className={styles.charts}>
        <CallsByTool tools={tools} />
        <LatencyByTool latencies={latencies(rows)} />
        <ErrorsByType errors={errorsByType(rows)} />
        <BytesByTool tools={tools} />
        <OtherOutcomes tools={tools} />
        <CallsOverTime samples={samples} />
      </div>
    </>
  )
}

function Tiles({ tools }: { tools: ReturnType<typeof sumsByTool> }) {
  const { calls, failed, asked, replays, contextBytes, contextWarnings, loops, repairs } = totalsOf(tools)
  const tiles = [
    ['Calls', String(calls)],
    ['Failed or refused', `${failed}`, calls > 0 ? `${Math.round((failed / calls) * 100)} %` : ''],
    ['Asked the user', String(asked)],
    ['Replayed', String(replays)],
    ['Into the context', bytesText(contextBytes), contextWarnings > 0 ? `${contextWarnings} over a limit` : ''],
    ['Repeated calls', String(loops)],
    ['Repaired values', String(repairs)],
  ]
  return (
    <dl className={styles.tiles}>
      {tiles.map(([name, value, aside]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} {aside && <span>{aside}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
