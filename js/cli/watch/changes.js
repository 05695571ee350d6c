'use strict'

// The differences between two tool sets, in terms of the source files.

const { isDeepStrictEqual } = require('node:util')

/** Fields of the artifact that are derived from others. */
const DERIVED = new Set(['providerSchemas', 'lowering', 'handlerPath', 'toolId', 'version'])

/** Field of the artifact → its name in the sources. @type {Record<string, string>} */
const WRITTEN_AS = { jsonSchema: 'parameters', summary: 'guide', documentation: 'guide' }

/**
 * @typedef {import('../../shared-types.js').ArtifactTool} ArtifactTool
 * @typedef {{ artifact: { tools: ArtifactTool[] } | null, handlers: Record<string, string> }} BuildOutput
 * @typedef {{ toolId: string, kind: 'added' | 'removed' | 'changed', from?: string, to?: string, parts: string[] }}
 *   Change
 * @param {BuildOutput} before @param {BuildOutput} after
 * @returns {Change[]} sorted by tool
 */
function changesBetween(before, after) {
  const [old, now] = [before, after].map(
    ({ artifact }) => new Map((artifact?.tools ?? []).map(tool => [tool.toolId, tool])),
  )
  const ids = [...new Set([...old.keys(), ...now.keys()])].sort()
  return ids.flatMap(
    /** @returns {Change[]} */ toolId => {
      const [was, is] = [old.get(toolId), now.get(toolId)]
      if (was === undefined) return [{ toolId, kind: 'added', to: /** @type {ArtifactTool} */ (is).version, parts: [] }]
      if (is === undefined) return [{ toolId, kind: 'removed', from: was.version, parts: [] }]
      const parts = partsOf(was, is, before.handlers[toolId] !== after.handlers[toolId])
      return parts.length === 0 && was.version === is.version
        ? []
        : [{ toolId, kind: 'changed', from: was.version, to: is.version, parts }]
    },
  )
}

/**
 * @param {import('../../shared-types.js').JsonObject} was
 * @param {import('../../shared-types.js').JsonObject} is
 * @param {boolean} codeChanged of the handler or a schema module
 */
function partsOf(was, is, codeChanged) {
  const fields = new Set([...Object.keys(was), ...Object.keys(is)])
  const changed = [...fields].filter(field => !DERIVED.has(field) && !isDeepStrictEqual(was[field], is[field]))
  return [...new Set([...changed.map(field => WRITTEN_AS[field] ?? field), ...(codeChanged ? ['code'] : [])])]
}

/** @param {Change} change @param {ReturnType<import('picocolors').createColors>} paint @returns {string} one line */
function changeLine({ toolId, kind, from, to, parts }, paint) {
  if (kind === 'added') return `  ${paint.green('+')} ${toolId} ${to}\n`
  if (kind === 'removed') return `  ${paint.red('-')} ${toolId} ${from}\n`
  return `  ${paint.yellow('~')} ${toolId} ${from === to ? to : `${from} → ${to}`}${parts.length === 0 ? '' : `  ${paint.dim(parts.join(', '))}`}\n`
}

module.exports = { changeLine, changesBetween }
