// Converts a request's contents to a history: generateContent keeps no state between requests.

import { joinedTexts } from '../content-text.js'
import { jsonOrText } from '../parse-json.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { HistoryCall, HistoryEntry } from '../scenario/next-step.js'
 */

/**
 * Answers belong to calls by id if they have one, else by name, in order.
 *
 * @param {JsonObject[]} contents validated
 * @returns {HistoryEntry[]}
 */
export function readHistory(contents) {
  /** @type {(HistoryCall & { given?: string })[]} of the last content with calls, not answered yet */
  let open = []
  return contents.flatMap(({ role, parts }, at) => {
    if (role === 'model') {
      open = callsIn(parts, at)
      return [open.length === 0 ? { kind: 'other' } : { kind: 'calls', calls: open }]
    }
    const results = partsWith(parts, 'functionResponse').map(answer => {
      const call =
        open.find(({ given }) => given !== undefined && given === answer.id) ??
        open.find(({ name }) => name === answer.name)
      open = open.filter(one => one !== call)
      return /** @type {HistoryEntry} */ ({ kind: 'result', id: call?.id ?? '', value: valueOf(answer) })
    })
    const texts = partsWith(parts, 'text')
    return texts.length === 0 ? results : [...results, { kind: 'user', text: joinedTexts(texts) }]
  })
}

/** @param {JsonObject[]} parts @param {number} at index of their content */
function callsIn(parts, at) {
  return partsWith(parts, 'functionCall').map(({ id: given, name }, index) => ({ id: `${at}.${index}`, given, name }))
}

/** @param {JsonObject[]} parts @param {string} member @returns {any[]} the members of the parts that have it */
const partsWith = (parts, member) => parts.flatMap(part => (part[member] === undefined ? [] : [part[member]]))

/**
 * The AI SDK wraps a tool's result: `{ name, content }`.
 *
 * @param {JsonObject} answer
 * @returns {unknown}
 */
function valueOf({ name, response }) {
  if (response.name !== name || response.content === undefined) return response
  return typeof response.content === 'string' ? jsonOrText(response.content) : response.content
}
