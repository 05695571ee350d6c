import { Badge, type Tone } from '@/components/ui/badge'
import type { Confirmation, Effect, ToolSummary } from '@/lib/inspector/tool-view'

const EFFECT_TONES: Record<Effect, Tone> = {
  none: 'neutral',
  reads: 'live',
  writes: 'ask',
  'writes, idempotent': 'ask',
}

export const EffectBadge = ({ effect }: { effect: Effect }) => (
  <Badge tone={EFFECT_TONES[effect]}>{EFFECT_LABELS[effect]}</Badge>
)

export const EFFECT_LABELS: Record<Effect, string> = {
  none: 'no effect',
  reads: 'reads',
  writes: 'writes',
  'writes, idempotent': 'writes, idempotent',
}

export const CONFIRMATION_LABELS: Record<Confirmation, string> = {
  always: 'asks first',
  'some calls': 'asks for some calls',
  never: 'never asks',
}

/** The tool's special properties, in the gate's colours; its modes as text. */
export function ToolBadges({ tool, withModes = true }: { tool: ToolSummary; withModes?: boolean }) {
  return (
    <>
      <Badge>{tool.category}</Badge>
      <EffectBadge effect={tool.effect} />
      {tool.confirmation !== 'never' && <Badge tone="ask">{CONFIRMATION_LABELS[tool.confirmation]}</Badge>}
      {withModes && tool.allowedModes.map(mode => <Badge key={mode}>{mode}</Badge>)}
      {!tool.available && <Badge tone="stop">service missing</Badge>}
    </>
  )
}
