// Action items through the host service `llm`. An item stands only on words that the text really has.
import { success } from '../_core/tool-response.js'
import { draftWith, mayNotClaim } from '../_services/drafting.js'
import { plainText } from '../_services/plain-text.js'

/**
 * An item as the model wrote it: unchecked.
 * @typedef {{ task?: unknown, owner?: unknown, due?: unknown, quote?: unknown } | null | undefined} DraftedItem
 */

const MOST_ITEMS = 50
const MOST_LEFT_OUT = 20
const MOST_QUOTE_CHARACTERS = 500

/** @param {import('../../index.js').HandlerContext} context */
export function execute(context) {
  const { text } = context.args
  return draftWith(context, {
    task: 'extract_action_items',
    instruction: 'List what somebody has to do according to `text`.',
    form: '{"items":[{"task":"...","owner":"name as in text, or null","due":"words as in text, or null","quote":"verbatim from text"}]}',
    input: { text },
    maxOutputTokens: 4000,
    read: ({ items }) => (Array.isArray(items) ? items.slice(0, 4 * MOST_ITEMS) : null),
    respond: (items, by) => success(toData(items, text, by)),
  })
}

/**
 * @param {DraftedItem[]} found
 * @param {string} text
 * @param {object} by who drafted the items
 */
function toData(found, text, by) {
  const source = comparable(text)
  const checked = found.map(item => checkedItem(item, source))
  const grounded = checked.filter(one => one.item !== null)
  const kept = grounded.slice(0, MOST_ITEMS)
  const overLimit = grounded.slice(MOST_ITEMS).map(({ task }) => ({ task, reason: 'limit' }))
  const missing = checked.filter(one => one.item === null || kept.includes(one)).flatMap(({ leftOut }) => leftOut)
  const items = kept.map(({ item }) => item)
  return {
    items,
    dropped: found.length - items.length,
    left_out: [...missing, ...overLimit].slice(0, MOST_LEFT_OUT),
    facts: [...new Set(items.map(item => /** @type {{ quote: string }} */ (item).quote))],
    may_not_claim: mayNotClaim([
      'that an item is agreed, assigned in any system, or due on a date that its quote does not name',
    ]),
    ...by,
  }
}

/** Line breaks and letter case do not make other words. @param {string} text */
const comparable = text => plainText(text, Infinity).toLowerCase().replaceAll(/\s+/g, ' ')

/**
 * The item, null without words of the text to rest on, and what of it is left out.
 * @param {DraftedItem} drafted
 * @param {string} source
 */
function checkedItem(drafted, source) {
  const has = (/** @type {string} */ words) => words !== '' && source.includes(comparable(words))
  const task = plainText(drafted?.task, 500)
  const quote = plainText(drafted?.quote, Infinity)
  if (task === '' || quote.length > MOST_QUOTE_CHARACTERS || !has(quote)) {
    return { task, item: null, leftOut: task === '' ? [] : [{ task, reason: 'not_in_text' }] }
  }
  const [owner, due] = [plainText(drafted?.owner, 120), plainText(drafted?.due, 120)]
  const leftOut = Object.entries({ owner, due }).flatMap(([part, words]) =>
    words === '' || has(words) ? [] : [{ task, reason: `${part}_not_in_text` }],
  )
  return { task, item: { task, owner: has(owner) ? owner : null, due: has(due) ? due : null, quote }, leftOut }
}
