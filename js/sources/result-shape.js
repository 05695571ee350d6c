'use strict'

// Whether an answer is a `CallToolResult`. The SDK's own check would drop members, and refuse blocks of types to come.

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */

/** What is wrong with it. @param {JsonObject} result @returns {string | undefined} */
function shapeProblem({ content, isError }) {
  if (!Array.isArray(content)) return '`content` is not a list'
  if (isError !== undefined && typeof isError !== 'boolean') return '`isError` is not a boolean'
  const wrong = content.findIndex(block => !isBlock(block))
  return wrong === -1 ? undefined : `\`content[${wrong}]\` is not a content block`
}

/** Types that are not known pass. @param {unknown} value */
function isBlock(value) {
  if (typeof value !== 'object' || value === null) return false
  const { type, text, data, mimeType, resource, uri } = /** @type {JsonObject} */ (value)
  if (type === 'text') return typeof text === 'string'
  if (type === 'image' || type === 'audio') return typeof data === 'string' && typeof mimeType === 'string'
  if (type === 'resource') return isResource(resource)
  return type === 'resource_link' ? typeof uri === 'string' : typeof type === 'string'
}

/** @param {JsonObject | null | undefined} resource */
function isResource(resource) {
  return typeof resource?.uri === 'string' && (typeof resource.text === 'string' || typeof resource.blob === 'string')
}

module.exports = { shapeProblem }
