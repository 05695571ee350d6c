// Texts and colours for the outcome of a trial.
import type { Tone } from '@/components/ui/badge'
import type { ToolResponseMeta } from 'toolgate'
import type { Trial } from './use-try-session'

export function outcomeLabel({ what, response, problem }: Trial): { tone: Tone; text: string } {
  if (problem !== undefined) return { tone: 'stop', text: 'no answer' }
  if (response === undefined) return { tone: 'neutral', text: what === 'denial' ? 'denied' : 'nothing ran' }
  if (response.ok) return { tone: 'ok', text: 'ok' }
  return { tone: response.error.type === 'CONFIRMATION_REQUIRED' ? 'ask' : 'stop', text: response.error.type }
}

/** Special properties of the answer. */
export function notableFacts(meta: ToolResponseMeta): string[] {
  const clamped = meta.clamped?.map(({ path, from, to }) => `${path} lowered from ${from} to ${to}`) ?? []
  return [
    meta._idempotent_cache_hit ? `from its record, turn ${meta._original_turn}` : '',
    meta.cached ? 'from the cache' : '',
    ...clamped,
    ...(meta.repaired?.map(({ path, rule }) => `${path || 'the call'} repaired by ${rule}`) ?? []),
    meta.defaulted?.length ? `defaults for ${meta.defaulted.join(', ')}` : '',
    meta.truncated ? `cut from ${meta.truncated.originalBytes} to ${meta.truncated.limitBytes} bytes` : '',
    ...(meta.warnings ?? []),
  ].filter(Boolean)
}

export function factsOf(meta: ToolResponseMeta): string[] {
  const { duration, mode, turn, attempts } = meta
  return [
    `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`,
    mode ?? '',
    turn === undefined ? '' : `turn ${turn}`,
    attempts !== undefined && attempts > 1 ? `${attempts} attempts` : '',
  ].filter(Boolean)
}
