// Modes: named policy profiles.

import type { RepairSetting } from './repair'

/** Calls within a sliding window. */
export interface CallLimit {
  calls: number
  windowMs: number
}

/** A named policy profile. Call counts refuse calls, latencies only warn; `attempts` applies to tools that set none. */
export interface ModePolicy {
  retrievalCalls?: number
  totalCalls?: number
  retrievalLatencyMs?: number | null
  turnLatencyMs?: number | null
  topK?: number | null
  attempts?: number
  /** Limit of the serialized `data` for the model. */
  resultLimitBytes?: number
  /**
   * The calls of one principal in this mode, in all its sessions and processes on the store; `null` for any number. A session
   * without a principal counts its own. `windowMs` is at most 31 days.
   */
  perPrincipal?: CallLimit | null
  /** By which rules nearly right arguments are repaired. Rules that the registry or the tool forbids stay forbidden. */
  repair?: RepairSetting
}

/** The policies of the built-in modes: what applies if the host sets nothing. Frozen. */
export const builtInModes: Readonly<Record<'text' | 'voice' | 'webcam', Readonly<Required<ModePolicy>>>>
