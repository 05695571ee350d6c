// Rows in an utterance: `hosting 40, people 50`, `3, 5 and 8`, or records by their ids, `doc:a 0.3`.

import { numberOf } from './moments.js'

/** @import { JsonObject } from '../parse-json.js' */

export const RECORD_ID = /\b[a-z]+:[a-z0-9][\w-]*\b/gi
const NUMBER = String.raw`-?\d+(?:[.,]\d+)*\s?[km]?\b`
const WHOLE_NUMBER = new RegExp(String.raw`^\p{Sc}?${NUMBER}$`, 'iu')
const WHOLE_PAIR = new RegExp(
  String.raw`^([\p{L}][\p{L}\p{N} .&'-]*?|(?:19|20)\d\d|[A-Z]\d)\s*(?:[:=]\s*|\s(?:is |are |was |were |had )?(?:\p{Sc}\s?)?)(${NUMBER})(?:\s?\p{Sc})?$`,
  'iu',
)
/** `for 2025` is no row. */
const NO_LABEL = /^(?:for|in|on|by|to|from|at|over|per|since|until|or|not|than|about|between|last|next)\b(?! [^ ])/i

/**
 * @param {JsonObject} items schema of a row
 * @param {string} text
 * @returns {JsonObject[] | undefined}
 */
export function readRows({ properties }, text) {
  const rows = properties?.id === undefined ? labelled(text) : records(text)
  return rows.length === 0 ? undefined : rows
}

/** @param {string} text */
function records(text) {
  const ids = [...text.matchAll(RECORD_ID)]
  const others = text.replaceAll(RECORD_ID, ' ').match(/\p{L}+/gu) ?? []
  if (!others.every(word => /^(?:and|with|scores?|of|at|the|has|by|relevance|records?)$/i.test(word))) return []
  return ids.map(({ 0: id, index }, at) => {
    const [score] = /(?<![\w.])[01](?:\.\d+)?(?!\w)/.exec(text.slice(index + id.length, ids[at + 1]?.index)) ?? []
    return score === undefined ? { id } : { id, score: Number(score) }
  })
}

/** Each part is a row: one that cannot be read leaves none. @param {string} text */
function labelled(text) {
  const parts = text
    .split(/\s*(?:,(?!\d{3}\b)\s*|;|\n|\s+and\s+|\s+vs\.?\s+|(?<=\d)\s+(?=\p{L}))\s*/iu)
    .map(part => part.replace(/^and /i, '').replace(/[\s.!?]+$/, ''))
    .filter(part => part !== '')
  const pairs = parts.flatMap(part => {
    const [, label = '', value] = WHOLE_PAIR.exec(part) ?? []
    return value === undefined || NO_LABEL.test(label) ? [] : [{ label: labelOf(label), value: numberOf(value) }]
  })
  if (pairs.length > 0) return pairs.length < parts.length ? [] : pairs
  return parts.every(part => WHOLE_NUMBER.test(part))
    ? parts.map((value, index) => ({ label: String(index + 1), value: numberOf(value) }))
    : []
}

/** @param {string} text */
const labelOf = text => text.trim().replace(/^(?:of|with|for|the|our|my) /i, '')
