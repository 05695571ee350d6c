'use strict'

// A server's `CallToolResult` as the result of a handler. Models get texts and descriptions of media; the blocks themselves
// are kept beside, for MCP clients.

const { isDeepStrictEqual } = require('node:util')

const { ToolError } = require('../answers/errors.js')
const { wrongShape } = require('./source-error.js')

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/**
 * @typedef {object} CalledTool
 * @property {string} source
 * @property {import('./types.js').PublishedTool} definition as locked
 * @property {boolean} writes
 */

const MAX_ERROR_CHARACTERS = 2000
const MAX_BLOCKS = 100
/** Shorter data may be a word. */
const MIN_MEDIA = 64
/** Texts that describe a block: a URI, a name, a media type. */
const MAX_LABEL = 1000

/**
 * @param {import('./types.js').CallResult} result of a shape that was checked (result-shape.js)
 * @param {CalledTool} tool
 * @returns {{ data: JsonObject, blocks: JsonObject[] }} `blocks`: the content as the server sent it; none if
 *   `data` has all of it. The gate shortens `data` for the model
 * @throws {ToolError} if the tool failed, or its structured content is missing
 */
function toHandlerResult(result, { source, definition, writes }) {
  /** @type {JsonObject[]} */
  const content = result.content
  if (result.isError === true) throw toolFailure(content, writes)
  if (definition.outputSchema === undefined) return { data: contentData(content), blocks: blocksBeside(content) }
  if (result.structuredContent === undefined)
    throw wrongShape(source, writes, 'the tool has an output schema, and the answer has no `structuredContent`')
  const beside = content.filter(block => !isTextOf(block, result.structuredContent))
  return {
    data: withoutMedia(result.structuredContent, content),
    blocks: beside.length === 0 ? [] : content.slice(0, MAX_BLOCKS),
  }
}

/** A single plain text is all in `data`. @param {JsonObject[]} content */
const blocksBeside = content => (content.length === 1 && isPlainText(content[0]) ? [] : content.slice(0, MAX_BLOCKS))

/** @param {JsonObject} block */
const isPlainText = block => Object.keys(block).every(name => name === 'type' || name === 'text')

/** Whether a block only repeats the structured content as JSON. @param {JsonObject} block @param {unknown} structured */
function isTextOf(block, structured) {
  if (!isPlainText(block)) return false
  try {
    return isDeepStrictEqual(JSON.parse(block.text), structured)
  } catch {
    return false
  }
}

/**
 * Structured content in which media are described as in blocks: some servers repeat them there.
 * @param {unknown} structured @param {JsonObject[]} content @returns {JsonObject}
 */
function withoutMedia(structured, content) {
  const media = new Map(content.flatMap(block => mediaOf(block)))
  if (media.size === 0) return /** @type {JsonObject} */ (structured)
  return JSON.parse(
    JSON.stringify(structured, (_, value) => (typeof value === 'string' ? (media.get(value) ?? value) : value)),
  )
}

/** The data of a block → what a model reads of it. @param {JsonObject} block @returns {[string, string][]} */
function mediaOf({ type, data, mimeType, resource }) {
  const [base64, kind] = type === 'resource' ? [resource.blob, resource.mimeType] : [data, mimeType]
  if (typeof base64 !== 'string' || base64.length < MIN_MEDIA) return []
  return [[base64, `[${typeof kind === 'string' ? kind.slice(0, MAX_LABEL) : type}, ${bytesOf(base64)} bytes]`]]
}

/** @param {JsonObject[]} blocks @param {boolean} writes */
function toolFailure(blocks, writes) {
  const text = blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
  const message = whole(text.slice(0, MAX_ERROR_CHARACTERS)) || 'the tool failed and did not say why'
  return new ToolError('PERMANENT', message, { retryable: false, ...(writes ? { partialSideEffects: true } : {}) })
}

/** @param {JsonObject[]} blocks @returns {JsonObject} */
function contentData(blocks) {
  const [first] = blocks
  if (blocks.length === 1 && first?.type === 'text') return { text: first.text }
  const content = blocks.slice(0, MAX_BLOCKS).map(described)
  const left = blocks.length - content.length
  return { content: left === 0 ? content : [...content, { type: 'text', text: `[${left} more blocks are not shown]` }] }
}

/** @param {JsonObject} block @returns {JsonObject} */
function described(block) {
  const { type } = block
  if (type === 'text') return { type, text: block.text }
  if (type === 'image' || type === 'audio') return { type, ...labels(block, ['mimeType']), bytes: bytesOf(block.data) }
  if (type === 'resource_link') return { type, ...labels(block, ['uri', 'name', 'title', 'description', 'mimeType']) }
  if (type !== 'resource') return { type: type.slice(0, MAX_LABEL) }
  const { resource } = block
  const body = typeof resource.text === 'string' ? { text: resource.text } : { bytes: bytesOf(resource.blob) }
  return { type, ...labels(resource, ['uri', 'mimeType']), ...body }
}

/** @param {JsonObject} value @param {string[]} names */
function labels(value, names) {
  const given = names.filter(name => typeof value[name] === 'string')
  return Object.fromEntries(given.map(name => [name, whole(value[name].slice(0, MAX_LABEL))]))
}

/** The bytes that a base64 text stands for. @param {string} base64 */
function bytesOf(base64) {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor((base64.length * 3) / 4) - padding
}

/** Without half of a character at the end. @param {string} text */
const whole = text => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text)

module.exports = { toHandlerResult }
