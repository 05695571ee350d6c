// Action items through the host service `llm`. An item stands only on words that the text really has.
import { success } from '../_core/tool-response.js'
import { draftWith, mayNotClaim } from '../_services/drafting.js'
import { plainText } from '../_services/plain-text.js'

/**
 * An item as the model wrote it: unchecked.
 * @typedef {{ task?: unknown, owner?: unknown, due?: unknown, quote?: unknown } | null | undefined} DraftedItem
 */

const MOST_ITEMS = 50
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
  const items = found.map(item => groundedItem(item, source)).filter(item => item !== null)
  const kept = items.slice(0, MOST_ITEMS)
  return {
    items: kept,
    dropped: found.length - kept.length,
    facts: [...new Set(kept.map(({ quote }) => quote))],
    may_not_claim: mayNotClaim([
      'that an item is agreed, assigned in any system, or due on a date that its quote does not name',
    ]),
    ...by,
  }
}

/** Line breaks and letter case do not make other words. @param {string} text */
const comparable = text => plainText(text, Infinity).toLowerCase().replaceAll(/\s+/g, ' ')

/** @param {DraftedItem} item @param {string} source */
function groundedItem(item, source) {
  const has = (/** @type {string} */ words) => words !== '' && source.includes(comparable(words))
  const task = plainText(item?.task, 500)
  const quote = plainText(item?.quote, Infinity)
  if (task === '' || quote.length > MOST_QUOTE_CHARACTERS || !has(quote)) return null
  const [owner, due] = [plainText(item?.owner, 120), plainText(item?.due, 120)]
  return { task, owner: has(owner) ? owner : null, due: has(due) ? due : null, quote }
}
