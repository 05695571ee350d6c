'use strict'

// What the team says of a source's tools: how each is called here, and what may be done with it. A server's own hints are
// proposals, which `toolgate mcp lock` prints: a tool that the team does not name is a write that its user confirms.

const { compileTool } = require('../tool-sets/compile.js')

/**
 * @typedef {import('./types.js').SourceConfig} SourceConfig
 * @typedef {import('./types.js').PublishedTool} PublishedTool
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 */

/** @type {JsonObject} */
const READ = { sideEffects: 'read_only', idempotent: true, requiresConfirmation: false }
/** @type {JsonObject} */
const WRITE = { sideEffects: 'writes', idempotent: false, requiresConfirmation: true }

/** The id of a tool: its name with the prefix, made portable. A name that begins with the prefix has it already. @param {string} prefix @param {string} tool */
function toolIdOf(prefix, tool) {
  const name = tool.startsWith(prefix) ? tool : prefix + tool
  return String(compileTool({ name, description: name, parameters: { type: 'object' } }).toolId)
}

/**
 * The policy of a tool; null if it is left out.
 * @param {SourceConfig} config
 * @param {string} tool
 * @returns {JsonObject | null}
 */
function policyOf({ reads, tools }, tool) {
  const own = Object.hasOwn(tools, tool) ? tools[tool] : {}
  if (own === false) return null
  const isRead = reads.some(pattern => matches(pattern, tool))
  return { ...(isRead ? READ : WRITE), ...own }
}

/** Whether a name fits a pattern, in which `*` stands for any text. @param {string} pattern @param {string} name */
function matches(pattern, name) {
  const [first, ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === name
  const last = /** @type {string} */ (rest.pop())
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= name.length - last.length
}

/** What a source's file says of tools that its server does not publish. @param {SourceConfig} config @param {PublishedTool[]} definitions */
function namesOfNone({ reads, tools }, definitions) {
  const isOfNone = (/** @type {string} */ pattern) => !definitions.some(({ name }) => matches(pattern, name))
  return [...reads, ...Object.keys(tools)].filter(isOfNone)
}

/** Whether the server says that a tool only reads, and the team does not. @param {SourceConfig} config @param {PublishedTool} definition */
function isProposedRead(config, { name, annotations }) {
  const hints = /** @type {JsonObject | undefined} */ (annotations)
  return hints?.readOnlyHint === true && policyOf(config, name)?.sideEffects === WRITE.sideEffects
}

/** Whether the team says that a tool only reads, and its server says otherwise. @param {SourceConfig} config @param {PublishedTool} definition */
function isDoubtedRead(config, { name, annotations }) {
  const hints = /** @type {JsonObject | undefined} */ (annotations)
  return (
    (hints?.readOnlyHint === false || hints?.destructiveHint === true) &&
    policyOf(config, name)?.sideEffects === READ.sideEffects
  )
}

module.exports = {
  isDoubtedRead,
  isProposedRead,
  namesOfNone,
  policyOf,
  toolIdOf,
}
