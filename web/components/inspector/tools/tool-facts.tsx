import type { ReactNode } from 'react'
import { Card } from '@/components/ui/card'
import type { ToolDetail } from '@/lib/inspector/tool-view'
import { CONFIRMATION_LABELS, EFFECT_LABELS } from './tool-badges'
import styles from './tool-facts.module.css'

/** How the gate treats calls of the tool. */
export function ToolFacts({ tool }: { tool: ToolDetail }) {
  return (
    <Card title="How calls are treated">
      <dl className={styles.facts}>
        {factsOf(tool).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

const rate = ({ calls, windowMs, per = 'session' }: Record<string, unknown>) =>
  `${String(calls)} in ${milliseconds(Number(windowMs))} per ${String(per)}`

function factsOf(tool: ToolDetail): [string, ReactNode][] {
  const settings = tool.compiled?.settings ?? {}
  const { confirmation, rateLimit, cache, retry, clamp, resultLimitBytes } = settings as Record<
    string,
    Record<string, unknown> | undefined
  >
  const facts: [string, ReactNode][] = [
    ['Version', tool.version],
    ['Effect', EFFECT_LABELS[tool.effect]],
    ['Modes', tool.allowedModes.join(', ')],
    ['Confirmation', CONFIRMATION_LABELS[tool.confirmation]],
    ['Shown to the user', confirmation?.preview ? <code key="preview">{String(confirmation.preview)}</code> : null],
    ['Expected', milliseconds(tool.latencyBudgetMs)],
    ['Deadline', tool.timeoutMs === false ? 'none' : milliseconds(tool.timeoutMs)],
    ['Attempts', retry?.maxAttempts ? String(retry.maxAttempts) : 'as the mode has it'],
    ['Side by side', tool.parallel ? 'yes' : 'one after another'],
    ['Needs', tool.requires.join(', ')],
    ['Roles', tool.requiredRoles.join(', ')],
    ['Rate', rateLimit ? rate(rateLimit) : null],
    ['Kept', cache ? milliseconds(Number(cache.ttlMs)) : null],
    ['Lowered to', clamp ? clamps(clamp) : null],
    ['Result at most', resultLimitBytes ? `${String(resultLimitBytes)} bytes` : null],
  ]
  return facts.filter(([, value]) => value !== null && value !== '')
}

const milliseconds = (time: number) => (time % 1000 === 0 && time >= 1000 ? `${time / 1000} s` : `${time} ms`)

function clamps(byMode: Record<string, unknown>): string {
  const bounds = Object.entries(byMode).flatMap(([mode, limits]) =>
    Object.entries(limits as Record<string, number>).map(([argument, most]) => `${argument} ≤ ${most} in ${mode}`),
  )
  return bounds.join(', ')
}
