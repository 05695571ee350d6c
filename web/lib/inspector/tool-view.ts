// The inspector's types of the tool set, shared by server and page.
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

/** Side effects of a call; they decide over retries, cancellation and lost outcomes. */
export type Effect = 'none' | 'reads' | 'writes' | 'writes, idempotent'
/** `some calls`: a schema of the arguments decides. */
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
  /** False if a required service is missing on this server: the tool is then not declared to models. */
  available: boolean
}

export interface ToolSetView {
  version: string
  gitCommit: string | null
  /** All modes, built in or named by a tool. */
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
  /** `null` if the provider does not support the tool; the receipt has the reason. */
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
  /** Further details from the compiled artifact; absent if the artifact on disk is another version. */
  compiled: CompiledExtras | null
}

export interface CompiledExtras {
  examples: Record<string, JsonValue>[]
  resultSchema: Record<string, JsonValue> | null
  /** As in schema.json with defaults resolved; only the members that the tool has. */
  settings: Partial<Record<'confirmation' | 'retry' | 'rateLimit' | 'cache' | 'clamp' | 'resultLimitBytes', JsonValue>>
}
