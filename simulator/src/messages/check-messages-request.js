// Validates a Messages request. Returns the members of Anthropic's error body.

import { shapeErrors } from '../shape-errors.js'
import { requestSchema } from './messages-request-schema.js'

/**
 * @import { ErrorObject } from 'ajv'
 * @import { Problem } from '../http/answer-request.js'
 * @import { JsonObject } from '../parse-json.js'
 */

/**
 * @param {unknown} body
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @returns {Problem | null} an error of shape
 */
export function checkRequest(body, headers) {
  if (headers['anthropic-version'] === undefined) return invalid('anthropic-version: header is required')
  const errors = shapeErrors(requestSchema, body)
  return errors === null ? null : shapeError(errors)
}

/**
 * @param {JsonObject} body of valid shape, with all messages of its thread
 * @returns {Problem | null} an inconsistency between its members
 */
export function messagesProblem(body) {
  return toolsError(body) ?? historyError(body.messages)
}

/** @param {string} message @returns {Problem} */
function invalid(message) {
  return { status: 400, message }
}

/** @param {ErrorObject[]} errors the first one is reported */
function shapeError([{ instancePath, keyword, params, message }]) {
  const place = instancePath.slice(1).replaceAll('/', '.')
  /** @param {string} name */
  const inside = name => [place, name].filter(part => part !== '').join('.')
  if (keyword === 'required') return invalid(`${inside(params.missingProperty)}: field required`)
  if (place.endsWith('.text') && keyword === 'minLength')
    return invalid('messages: text content blocks must be non-empty')
  const allowed = params.allowedValues ?? (params.allowedValue === undefined ? [] : [params.allowedValue])
  return invalid(`${place || 'body'}: ${message}${allowed.length === 0 ? '' : ` (${allowed.join(', ')})`}`)
}

/** @param {JsonObject} body */
function toolsError({ tools = [], tool_choice: choice }) {
  const names = tools.map((/** @type {JsonObject} */ { name }) => name)
  if (new Set(names).size < names.length) return invalid('tools: tool names must be unique')
  if (choice?.type === 'tool' && !names.includes(choice.name))
    return invalid(`tool_choice: tool \`${choice.name}\` not found in \`tools\``)
  return choice?.type === 'any' && tools.length === 0 ? invalid('tool_choice: there are no `tools`') : null
}

/**
 * Each tool_use must be answered once, in the next message, before anything else; nothing else may be answered.
 *
 * @param {JsonObject[]} messages
 */
function historyError(messages) {
  if (messages[0].role !== 'user') return invalid('messages: the first message must have the role `user`')
  const turns = mergeTurns(messages)
  const used = new Set()
  for (const [at, { role, content, index }] of turns.entries()) {
    if (role === 'user') {
      const problem = resultsError(content, index, at === 0 ? [] : usesIn(turns[at - 1].content))
      if (problem !== null) return problem
      continue
    }
    for (const id of usesIn(content)) {
      if (used.has(id)) return invalid(`messages.${index}: \`tool_use\` ids must be unique, \`${id}\` is not`)
      used.add(id)
    }
  }
  const last = turns[turns.length - 1]
  return last.role === 'assistant' && usesIn(last.content).length > 0
    ? unanswered(last.index, usesIn(last.content))
    : null
}

/**
 * @typedef {object} MessageTurn consecutive messages of one role
 * @property {'user' | 'assistant'} role
 * @property {number} index of the first message
 * @property {JsonObject[]} content blocks
 */

/** @param {JsonObject[]} messages @returns {MessageTurn[]} */
function mergeTurns(messages) {
  /** @type {MessageTurn[]} */
  const turns = []
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    if (turns.at(-1)?.role !== role) turns.push({ role, index, content: [] })
    const { content: merged } = turns[turns.length - 1]
    for (const block of blocks) merged.push(block)
  }
  return turns
}

/** @param {JsonObject[]} content @returns {string[]} ids */
function usesIn(content) {
  return content.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []))
}

/** @param {JsonObject[]} content @param {number} index @param {string[]} expected */
function resultsError(content, index, expected) {
  const known = new Set(expected)
  const answered = new Set()
  for (const { type, tool_use_id: id } of content) {
    if (type !== 'tool_result') continue
    if (!known.has(id)) {
      return invalid(
        `messages.${index}: unexpected \`tool_use_id\` in a \`tool_result\` block: \`${id}\`; the previous message has no such \`tool_use\``,
      )
    }
    if (answered.has(id))
      return invalid(`messages.${index}: each \`tool_use\` must have a single result; \`${id}\` has several`)
    answered.add(id)
  }
  const missing = expected.filter(id => !answered.has(id))
  if (missing.length > 0) return unanswered(index - 1, missing)
  const isLate = content.findIndex(({ type }) => type !== 'tool_result')
  if (isLate !== -1 && content.slice(isLate).some(({ type }) => type === 'tool_result')) {
    return invalid(`messages.${index}: \`tool_result\` blocks must come before all other content`)
  }
  return null
}

/** @param {number} index @param {string[]} ids */
function unanswered(index, ids) {
  return invalid(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}`,
  )
}
