// Types of `toolgate.lock.json`. They are not part of the public API.

import type { JsonObject } from '../shared-types.js'
import type { PublishedTool, ServerFacts, SourceConfig } from './types.js'

export interface LockFile {
  lockVersion: number
  sources: Record<string, LockedSourceEntry>
}

/** What is locked of one source. */
export interface LockedSourceEntry {
  /** SHA-256 of the canonical form of `sources/<name>.json`. */
  configSha256: string
  prefix: string
  era: ServerFacts['era']
  protocolVersion: string
  serverInfo?: JsonObject
  capabilities: JsonObject
  /** By published name. */
  tools: Record<string, LockedToolEntry>
}

export interface LockedToolEntry {
  toolId: string
  /** SHA-256 of the canonical form of `definition`. */
  sha256: string
  definition: PublishedTool
  /** Fields of `schema.json`. */
  policy: JsonObject
  /** ISO 8601. */
  acceptedAt: string
}

/** A source's configuration, and what its server publishes now. */
export interface PublishedSource {
  name: string
  config: SourceConfig
  /** The text of its file. */
  configText: string
  facts: ServerFacts
  definitions: PublishedTool[]
}

/** How a tool differs from what was locked. */
export type LockChange =
  | { tool: string; kind: 'new'; was?: undefined; is: PublishedTool }
  | { tool: string; kind: 'gone'; was: PublishedTool; is?: undefined }
  | { tool: string; kind: 'changed'; was: PublishedTool; is: PublishedTool }
