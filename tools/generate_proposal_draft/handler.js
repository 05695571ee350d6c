// A proposal's draft through the host service `llm`, from the given facts only. Long, so it has no timeout of its own.
import { success } from '../_core/tool-response.js'
import { draftWith, mayNotClaim, unsupportedIn } from '../_services/drafting.js'
import { plainText } from '../_services/plain-text.js'

/**
 * @typedef {{ client: string, need: string, facts: string[], language: string }} Args
 * @typedef {{ model: string, simulated: boolean }} Origin
 */

/** @param {import('../../index.js').HandlerContext<Args>} context */
export function execute(context) {
  const { client, need, facts, language } = context.args
  context.progress?.({ stage: 'drafting' })
  return draftWith(context, {
    task: 'generate_proposal_draft',
    instruction:
      'Write a proposal for `client`, who needs `need`, from `facts`, in the language `language`. List what is unknown under a heading of its own.',
    form: '{"title":"...","text":"Markdown, without the title"}',
    input: { client, need, facts, language },
    maxOutputTokens: 6000,
    read,
    respond: (draft, by) => success(toData(draft, context.args, by)),
  })
}

/** @param {import('../_services/service-types.js').JsonObject} answer unchecked */
function read({ title, text }) {
  const draft = { title: plainText(title, 200).replaceAll(/\s+/g, ' '), text: plainText(text, 24_000) }
  return draft.title === '' || draft.text === '' ? null : draft
}

/** @param {{ title: string, text: string }} draft @param {Args} args @param {Origin} by */
function toData({ title, text }, { client, need, facts }, by) {
  const unsupported = unsupportedIn(`${title}\n${text}`, [client, need, ...facts])
  return {
    title,
    text,
    unsupported,
    facts: [`Client: ${client}`, `Need: ${need}`, ...facts],
    may_not_claim: mayNotClaim(
      ['that the proposal is an offer, or that its price, scope or dates are binding'],
      unsupported,
    ),
    ...by,
  }
}
