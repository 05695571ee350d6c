// The tool set as server and page of the inspector know it.
import type { JsonValue, ToolMetadata } from 'toolgate'

export const PROVIDERS = [
  'openai',
  'openaiStrict',
  'openaiResponses',
  'openaiRealtime',
  'geminiNative',
  'geminiJson',
  'anthropic',
  'mcp',
] as const
export type Provider = (typeof PROVIDERS)[number]

/** How a call changes the world: it decides over retries, cancellation and lost outcomes. */
export type Effect = 'none' | 'reads' | 'writes' | 'writes, idempotent'
/** `some` where a schema of the arguments decides. */
export type Confirmation = 'always' | 'some calls' | 'never'

export interface ToolSummary {
  toolId: string
  title: string
  version: string
  summary: string
  category: ToolMetadata['category']
  effect: Effect
  confirmation: Confirmation
  allowedModes: string[]
  /** False where a service that it requires is missing on this server: models are not told of it. */
  available: boolean
}

export interface ToolSetView {
  version: string
  gitCommit: string | null
  /** The modes that there are, built in or named by a tool. */
  modes: string[]
  tools: ToolSummary[]
}

export interface ReceiptLine {
  pointer: string
  change: string
  lost: boolean
}

export interface Declaration {
  provider: Provider
  /** `null` where the provider cannot take the tool; the receipt says why. */
  declaration: JsonValue | null
  receipt: ReceiptLine[]
}

export interface ToolDetail extends ToolSummary {
  description: string
  documentation: string
  jsonSchema: Record<string, JsonValue>
  declarations: Declaration[]
  requires: string[]
  requiredRoles: string[]
  latencyBudgetMs: number
  timeoutMs: number | false
  parallel: boolean
  /** What the compiled artifact says beyond that; absent where the one at hand is another version. */
  compiled: CompiledExtras | null
}

export interface CompiledExtras {
  examples: Record<string, JsonValue>[]
  resultSchema: Record<string, JsonValue> | null
  /** As in schema.json, defaults resolved; only what the tool has. */
  settings: Partial<Record<'confirmation' | 'retry' | 'rateLimit' | 'cache' | 'clamp' | 'resultLimitBytes', JsonValue>>
}
