// What a registry says of a tool.

import type { BackgroundWork } from './background'
import type { NewGrant } from './caller-options'
import type { ToolSearch } from './providers'
import type { RepairSetting } from './repair'
import type { JsonValue } from './responses'
import type { ToolOrigin } from './sources'

/** A loaded tool. */
export interface ToolMetadata {
  toolId: string
  version: string
  title: string
  description: string
  category: 'retrieval' | 'action' | 'utility'
  sideEffects: 'none' | 'read_only' | 'writes'
  idempotent: boolean
  requiresConfirmation: boolean
  /** Present if users may grant later calls: the widest scope, see {@link NewGrant}. */
  grantable?: 'args' | 'tool'
  /** Present if others confirm in place of who asks: how many, each of whom holds one of the roles. */
  approvers?: { roles: string[]; count: number }
  allowedModes: string[]
  latencyBudgetMs: number
  /** Milliseconds, `false` for none. */
  timeoutMs: number | false
  requires: string[]
  requiredRoles: string[]
  parallel: boolean
  /** Present for a background tool, see {@link BackgroundWork.results}. */
  background?: { afterMs: number }
  /** Present if true: an equal call of a turn runs again once the call before was answered. */
  repeatable?: boolean
  /** Present if the tool forbids rules: those that it allows, see {@link RepairSetting}. */
  repair?: RepairSetting
  /** Present if true: declared from the start, see {@link ToolSearch}. */
  alwaysDeclared?: boolean
  /** Present if true: only handlers call it, as `server_question`. Models are not declared it and do not find it. */
  nestedOnly?: boolean
  summary: string
  /** Present if an MCP server runs the tool. */
  source?: ToolOrigin
  jsonSchema: Record<string, JsonValue>
  /**
   * Present if arguments can have values with `x-sensitive`: the declared arguments that are sensitive, or have sensitive parts. Empty if
   * only others can be.
   */
  sensitiveArguments?: string[]
  /** The parts that each provider's declaration changes or loses; calls are validated against them all the same. */
  lowering: Record<string, { pointer: string; change: string; lost: boolean }[]>
  /** The calls that a session may make within a window, or all sessions of a principal; absent for no limit. */
  readonly rateLimit?: { calls: number; windowMs: number; per?: 'session' | 'principal' }
  /** The guide, null if there is none. Not enumerable. */
  readonly documentation: string | null
  /** The declaration by provider; absent for a provider that can't take the tool. Not enumerable. */
  readonly providerSchemas: Record<string, any>
}
