// The frames of a question: what its user is shown, may change and may grant, and why an answer left it open.

/**
 * @typedef {import('../voice-types.js').Question} Question
 * @typedef {Pick<import('toolgate').ToolMetadata, 'title'> & Partial<import('toolgate').ToolMetadata>} Tool
 */

/** Whether the session's user answers it, and no approvers. @param {Pick<Question, 'approvers'>} request */
export const isOwn = ({ approvers }) => approvers === undefined

/**
 * @param {Question} request
 * @param {{ tool: Tool | null, rows?: import('toolgate').ShownArguments['rows'], readBack: string }} shown `tool`: null for
 *   one that the server no longer has
 * @returns {import('../voice-types.js').ConfirmationFrame}
 */
export function confirmationFrame(request, { tool, rows, readBack }) {
  const { token, callId, expires, args, preview, approvers, confirmations } = request
  const decided = approvers && { approvers, confirmations: confirmations ?? 0 }
  const changeable = { parameters: tool?.jsonSchema, sensitiveArguments: tool?.sensitiveArguments }
  const own = isOwn(request) ? { grantable: tool?.grantable, ...changeable } : {}
  const card = {
    token,
    ...(callId && { callId }),
    expires,
    tool: request.tool,
    args,
    preview,
    ...decided,
    ...own,
    rows,
  }
  const title = tool?.title ?? request.tool
  return { type: 'confirmation', request: card, title, ...(isOwn(request) ? { readBack } : {}) }
}

/**
 * Of an approval that ran nothing: its question is still open.
 * @param {string} token @param {import('toolgate').ToolResponse & { ok: false }} response
 * @returns {import('../voice-types.js').ErrorFrame}
 */
export function notConfirmedFrame(token, { error: { type, message, details } }) {
  return { type: 'error', code: 'not_confirmed', message, token, errorType: type, details }
}
