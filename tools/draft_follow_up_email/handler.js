// An e-mail's draft through the host service `llm`, from the given facts only. Nothing is sent.
import { success } from '../_core/tool-response.js'
import { draftWith, mayNotClaim, unsupportedIn } from '../_services/drafting.js'
import { plainText } from '../_services/plain-text.js'

/**
 * @typedef {{ recipient: string, facts: string[], purpose: string, sender?: string, tone: string, language: string }} Args
 * @typedef {{ model: string, simulated: boolean }} Origin
 */

/** @param {import('../../index.js').HandlerContext<Args>} context */
export function execute(context) {
  const { recipient, facts, purpose, sender = null, tone, language } = context.args
  return draftWith(context, {
    task: 'draft_follow_up_email',
    instruction:
      'Write an e-mail to `recipient` about `purpose` from `facts`, in the given `tone` and `language`, signed by `sender` if there is one.',
    form: '{"subject":"...","body":"plain text"}',
    input: { recipient, facts, purpose, sender, tone, language },
    maxOutputTokens: 1500,
    read,
    respond: (draft, by) => success(toData(draft, context.args, by)),
  })
}

/**
 * A line end in a subject would begin another header.
 * @param {import('../_services/service-types.js').JsonObject} answer unchecked
 */
function read({ subject, body }) {
  const draft = { subject: plainText(subject, 200).replaceAll(/\s+/g, ' '), body: plainText(body, 8000) }
  return draft.subject === '' || draft.body === '' ? null : draft
}

/** @param {{ subject: string, body: string }} draft @param {Args} args @param {Origin} by */
function toData({ subject, body }, { facts, recipient, purpose, sender = '' }, by) {
  const unsupported = unsupportedIn(`${subject}\n${body}`, [...facts, recipient, purpose, sender])
  return {
    subject,
    body,
    unsupported,
    facts,
    may_not_claim: mayNotClaim(['that the recipient has read, accepted or confirmed anything'], unsupported),
    ...by,
  }
}
