'use strict'

// Formats a tool for a terminal: its policy, its parameters, its guide, its declarations.

const { confirmationOf, effectOf } = require('../effect-text.js')
const { harmless } = require('../terminal.js')
const { renderMarkdown } = require('./markdown.js')
const { renderParameters } = require('./parameters.js')

/**
 * @typedef {import('../../shared-types.js').ArtifactTool} ArtifactTool
 * @param {ArtifactTool} tool
 * @param {import('../terminal.js').Look} look
 * @returns {string}
 */
function describeTool(tool, look) {
  const { paint } = look
  const head = `${paint.bold(harmless(tool.toolId))} ${tool.version}  ${paint.dim(harmless(tool.title))}\n${harmless(tool.description)}\n`
  const guide = withoutTitle(harmless(tool.documentation))
  return [
    head,
    facts(tool, look),
    `${paint.bold('Parameters')}\n${renderParameters(tool.jsonSchema, look)}`,
    // The guide of a source's tool is its description.
    ...(guide.trim() === harmless(tool.description).trim() ? [] : [renderMarkdown(guide, look)]),
    `${paint.bold('Declarations')}\n${declarations(tool, look)}`,
  ].join('\n')
}

/** @param {ArtifactTool} tool @param {import('../terminal.js').Look} look */
function facts(tool, { paint }) {
  const lines = [
    ['category', tool.category],
    ['effect', effectOf(tool)],
    ['modes', tool.allowedModes.join(', ')],
    ['confirmation', confirmationOf(tool)],
    [
      'time',
      `${tool.latencyBudgetMs} ms expected, ${tool.timeoutMs === false ? 'no deadline' : `${tool.timeoutMs} ms at most`}`,
    ],
    ['needs', list(tool.requires)],
    ['roles', list(tool.requiredRoles)],
    ['rate', tool.rateLimit ? rateOf(tool.rateLimit) : ''],
    ['handler', tool.handlerPath],
  ]
  return lines
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `  ${paint.dim(name.padEnd(13))} ${harmless(value)}\n`)
    .join('')
}

/** @param {NonNullable<import('../../../index.js').ToolMetadata['rateLimit']>} limit */
const rateOf = ({ calls, windowMs, per = 'session' }) => `${calls} calls in ${windowMs} ms per ${per}`

/** @param {string[] | undefined} names */
const list = names => (names ?? []).join(', ')

/**
 * Each target, with the number of schema parts that its declaration changes or loses.
 * @param {ArtifactTool} tool
 * @param {import('../terminal.js').Look} look
 */
function declarations({ providerSchemas, lowering }, { paint }) {
  const keys = [...new Set([...Object.keys(providerSchemas), ...Object.keys(lowering)])].sort()
  const width = Math.max(...keys.map(key => key.length))
  return keys
    .map(key => {
      const lost = (lowering[key] ?? []).filter(entry => entry.lost).length
      const changed = (lowering[key] ?? []).length - lost
      const effect = Object.hasOwn(providerSchemas, key)
        ? [changed > 0 && `${changed} changed`, lost > 0 && `${lost} lost`].filter(Boolean).join(', ')
        : 'not possible'
      return `  ${key.padEnd(width)}  ${paint.dim(effect || 'as written')}\n`
    })
    .join('')
}

/** Removes the guide's first heading, the tool's name, which is printed above. @param {string} guide */
const withoutTitle = guide => guide.replace(/^\s*# [^\n]*\n+/, '')

module.exports = { describeTool }
