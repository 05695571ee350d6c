// Types that several modules of this folder share. They are not part of the public API.

import type { ToolMetadata } from '../index.js'

/** Foreign JSON. `any`, because its members have no guaranteed type; the code that reads one checks it. */
export type JsonObject = Record<string, any>

/** One entry of a lowering receipt. */
export type LoweringEntry = ToolMetadata['lowering'][string][number]

/** A tool in tool_registry.json. */
export interface ArtifactTool extends ToolMetadata {
  documentation: string
  handlerPath: string
  providerSchemas: Record<string, JsonObject | null>
  confirmation?: { when?: JsonObject | null }
  rateLimit?: { calls: number; windowMs: number; per?: 'session' | 'principal' } | null
}

/** The content of tool_registry.json. */
export interface Artifact {
  version: string
  gitCommit: string | null
  tools: ArtifactTool[]
}
