// Describes the tool set for the inspector, including tools whose services are missing on this server.
import type { JsonValue, ToolMetadata, ToolRegistry } from 'toolgate'
import { compiledExtras } from './compiled-tools'
import {
  type CompiledExtras,
  type Confirmation,
  type Effect,
  PROVIDERS,
  type ToolDetail,
  type ToolSetView,
  type ToolSummary,
} from './tool-view'

const BUILT_IN_MODES = ['text', 'voice', 'webcam']

export async function describeToolSet(registry: ToolRegistry): Promise<ToolSetView> {
  const available = namesIn(registry.getProviderSchemas('mcp', { roles: rolesOf(registry) }))
  const all = [...registry.tools.values()]
  const tools = await Promise.all(all.map(async tool => summaryOf(tool, available, await extrasOf(registry, tool))))
  const modes = [...new Set([...BUILT_IN_MODES, ...tools.flatMap(({ allowedModes }) => allowedModes)])]
  return { version: registry.getVersion(), gitCommit: registry.getGitCommit(), modes, tools }
}

/** `null` for an unknown tool. */
export async function describeTool(registry: ToolRegistry, toolId: string): Promise<ToolDetail | null> {
  const tool = registry.getToolMetadata(toolId)
  if (tool === null) return null
  const compiled = await extrasOf(registry, tool)
  const { description, jsonSchema, requires, requiredRoles, latencyBudgetMs, timeoutMs, parallel } = tool
  return {
    ...summaryOf(tool, namesIn(registry.getProviderSchemas('mcp', { roles: rolesOf(registry) })), compiled),
    description,
    jsonSchema,
    requires,
    requiredRoles,
    latencyBudgetMs,
    timeoutMs,
    parallel,
    compiled,
    documentation: registry.getDocumentation(toolId) ?? '',
    declarations: declarationsOf(registry, tool),
  }
}

const extrasOf = (registry: ToolRegistry, tool: ToolMetadata) => compiledExtras(tool.toolId, registry.getVersion())

function summaryOf(tool: ToolMetadata, available: Set<string>, compiled: CompiledExtras | null): ToolSummary {
  const { toolId, title, version, summary, category, allowedModes } = tool
  const confirmation = confirmationOf(tool, compiled)
  return {
    toolId,
    title,
    version,
    summary,
    category,
    allowedModes,
    effect: effectOf(tool),
    confirmation,
    available: available.has(toolId),
  }
}

/** All roles that tools require: the inspector shows every tool. */
const rolesOf = (registry: ToolRegistry): string[] => [...registry.tools.values()].flatMap(tool => tool.requiredRoles)

/** The provider declarations, as if all required services were available. */
function declarationsOf(
  registry: ToolRegistry,
  { toolId, requires, requiredRoles, lowering }: ToolMetadata,
): ToolDetail['declarations'] {
  return PROVIDERS.map(provider => {
    const declared: Named[] = registry.getProviderSchemas(provider, {
      services: requires,
      roles: requiredRoles,
    })
    const declaration = declared.find(candidate => nameOf(candidate) === toolId) ?? null
    return { provider, declaration: declaration as JsonValue, receipt: lowering[provider] ?? [] }
  })
}

type Named = { name?: string; function?: { name: string } }
const nameOf = (declaration: Named) => declaration.function?.name ?? declaration.name ?? ''
const namesIn = (declarations: Named[]) => new Set(declarations.map(nameOf))

function effectOf({ sideEffects, idempotent }: ToolMetadata): Effect {
  if (sideEffects === 'none') return 'none'
  if (sideEffects === 'read_only') return 'reads'
  return idempotent ? 'writes, idempotent' : 'writes'
}

function confirmationOf({ requiresConfirmation }: ToolMetadata, compiled: CompiledExtras | null): Confirmation {
  if (!requiresConfirmation) return 'never'
  const confirmation = compiled?.settings.confirmation as { when?: unknown } | undefined
  return confirmation?.when ? 'some calls' : 'always'
}
