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

/** The bytes of text that a model gets of one result. */
const MAX_TEXT_BYTES = 64 * 1024
const MAX_ERROR_CHARACTERS = 2000
const MAX_BLOCKS = 100
/** Texts that describe a block: a URI, a name, a media type. */
const MAX_LABEL = 1000

/**
 * @param {import('./types.js').CallResult} result of a shape that was checked (result-shape.js)
 * @param {CalledTool} tool
 * @returns {{ data: JsonObject, blocks: JsonObject[] }} `blocks`: the content as the server sent it, with texts as long as a model
 *   gets them; none if `data` has all of it
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
  return { data: result.structuredContent, blocks: beside.length === 0 ? [] : bounded(content) }
}

/** A single plain text is all in `data`. @param {JsonObject[]} content */
const blocksBeside = content => (content.length === 1 && isPlainText(content[0]) ? [] : bounded(content))

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

/** The blocks with their texts shortened as those of `data` are. @param {JsonObject[]} content */
function bounded(content) {
  const shortener = new Shortener()
  return content.slice(0, MAX_BLOCKS).map(block => {
    if (block.type === 'text') return { ...block, text: shortener.shortened(block.text) }
    if (block.type !== 'resource' || typeof block.resource.text !== 'string') return block
    return { ...block, resource: { ...block.resource, text: shortener.shortened(block.resource.text) } }
  })
}

/** @param {JsonObject[]} blocks @param {boolean} writes */
function toolFailure(blocks, writes) {
  const text = blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
  const message = whole(text.slice(0, MAX_ERROR_CHARACTERS)) || 'the tool failed and did not say why'
  return new ToolError('PERMANENT', message, { retryable: false, ...(writes ? { partialSideEffects: true } : {}) })
}

/** @param {JsonObject[]} blocks @returns {JsonObject} */
function contentData(blocks) {
  const shortener = new Shortener()
  const [first] = blocks
  if (blocks.length === 1 && first?.type === 'text') return { text: shortener.shortened(first.text) }
  const content = blocks.slice(0, MAX_BLOCKS).map(block => described(block, shortener))
  const left = blocks.length - content.length
  return { content: left === 0 ? content : [...content, { type: 'text', text: `[${left} more blocks are not shown]` }] }
}

/** @param {JsonObject} block @param {Shortener} shortener @returns {JsonObject} */
function described(block, shortener) {
  const { type } = block
  if (type === 'text') return { type, text: shortener.shortened(block.text) }
  if (type === 'image' || type === 'audio') return { type, ...labels(block, ['mimeType']), bytes: bytesOf(block.data) }
  if (type === 'resource_link') return { type, ...labels(block, ['uri', 'name', 'title', 'description', 'mimeType']) }
  if (type !== 'resource') return { type: type.slice(0, MAX_LABEL) }
  const { resource } = block
  const body =
    typeof resource.text === 'string' ? { text: shortener.shortened(resource.text) } : { bytes: bytesOf(resource.blob) }
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

/** Shortens the texts of one result, which share a budget. */
class Shortener {
  #left = MAX_TEXT_BYTES

  /** The text up to the last line that fits, and a mark of what is missing. @param {string} text */
  shortened(text) {
    const bytes = Buffer.byteLength(text)
    if (bytes <= this.#left) {
      this.#left -= bytes
      return text
    }
    const kept = firstLines(text, this.#left)
    this.#left = 0
    const mark = `[${text.length - kept.length} more characters are not shown]`
    return kept === '' ? mark : `${kept}\n${mark}`
  }
}

/**
 * The lines that fit; a part of the line if it alone takes more than half.
 * @param {string} text
 * @param {number} maxBytes
 */
function firstLines(text, maxBytes) {
  // A cut character is replaced by U+FFFD, which is not of the text.
  const fitting = Buffer.from(text.slice(0, maxBytes)).subarray(0, maxBytes).toString()
  const cut = fitting.endsWith('\u{FFFD}') ? fitting.slice(0, -1) : fitting
  const end = cut.lastIndexOf('\n')
  return end > cut.length / 2 ? cut.slice(0, end) : cut
}

/** Without half of a character at the end. @param {string} text */
const whole = text => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text)

module.exports = { toHandlerResult }
