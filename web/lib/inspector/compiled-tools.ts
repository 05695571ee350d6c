// Reads details of a tool from the compiled artifact that the registry does not have: examples, result schema,
// settings.
import { readFile } from 'node:fs/promises'
import { type JsonValue, shippedTools } from 'toolgate'
import type { CompiledExtras } from './tool-view'

interface Artifact {
  version: string
  tools: (Record<string, JsonValue> & { toolId: string })[]
}

const SETTINGS = ['confirmation', 'retry', 'rateLimit', 'cache', 'clamp', 'resultLimitBytes'] as const

/** `null` if the artifact on disk is not the loaded version. */
export async function compiledExtras(toolId: string, version: string): Promise<CompiledExtras | null> {
  const artifact = await artifactOf(version)
  const tool = artifact?.tools.find(candidate => candidate.toolId === toolId)
  if (tool === undefined) return null
  const settings = SETTINGS.filter(name => !isEmptyValue(tool[name])).map(name => [name, tool[name]])
  return {
    examples: (tool.examples ?? []) as CompiledExtras['examples'],
    resultSchema: (tool.resultSchema ?? null) as CompiledExtras['resultSchema'],
    settings: Object.fromEntries(settings),
  }
}

/** The last one that was read: a loaded version is read once. */
let latest: Artifact | null = null

async function artifactOf(version: string): Promise<Artifact | null> {
  if (latest?.version !== version) latest = await readArtifact().catch(() => null)
  return latest?.version === version ? latest : null
}

async function readArtifact(): Promise<Artifact> {
  return JSON.parse(await readFile(process.env.TOOLGATE_ARTIFACT || shippedTools, 'utf8'))
}

function isEmptyValue(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}
