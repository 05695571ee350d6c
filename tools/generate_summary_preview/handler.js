// A short summary through the host service `llm`, with the sentences of the text that it rests on.
import { success } from '../_core/tool-response.js'
import { draftWith, mayNotClaim, quotesFor, unsupportedIn } from '../_services/drafting.js'
import { plainText } from '../_services/plain-text.js'

const MOST_CHARACTERS = 2000

/** @param {import('../../index.js').HandlerContext} context */
export function execute(context) {
  const { text, max_sentences, language } = context.args
  return draftWith(context, {
    task: 'generate_summary_preview',
    instruction: 'Summarize `text` in at most `max_sentences` sentences, in the language `language`.',
    form: '{"preview":"..."}',
    input: { text, max_sentences, language },
    maxOutputTokens: 800,
    read: ({ preview }) => plainText(preview, MOST_CHARACTERS) || null,
    respond: (preview, by) => success(toData(preview, text, by)),
  })
}

/** @param {string} preview @param {string} text @param {object} by who drafted it */
function toData(preview, text, by) {
  const unsupported = unsupportedIn(preview, [text])
  return {
    preview,
    unsupported,
    facts: quotesFor(preview, text, 10).map(quote => plainText(quote, 500)),
    may_not_claim: mayNotClaim(['that the summary is complete, or that the text is true'], unsupported),
    ...by,
  }
}
