// Sends one message to the session's client, for tools whose only effect is that message.
import { ErrorType } from '../_core/error-types.js'
import { failure } from '../_core/tool-response.js'

/** The warning of an answer that no client has received. */
export const NO_CLIENT = 'no_client'

/** Whether the host has a client at all; a text agent has none. @param {Pick<import('../../index.js').HandlerContext, 'capabilities'>} context */
export const hasClient = ({ capabilities }) => capabilities?.messaging !== false

/**
 * Sends `message` to the client of this call, if the host has one.
 *
 * A closed connection is an expected failure: the message was not delivered, so the tool had no effect. The failure
 * sets `partialSideEffects: false`, because the gate assumes possible effects for a tool that writes.
 *
 * @param {Pick<import('../../index.js').HandlerContext, 'messaging' | 'capabilities'>} context the handler's context
 * @param {{ type: string } & Record<string, unknown>} message
 * @returns {Promise<null | import('./service-types.js').FailedResult>} `null` when it was sent, or there is no client; else the failed ToolResponse to return
 */
export async function sendToClient(context, message) {
  if (!hasClient(context)) return null
  try {
    await context.messaging.send(message)
    return null
  } catch (error) {
    if (/** @type {{ type?: unknown } | null} */ (error)?.type !== ErrorType.TRANSIENT) throw error
    return failure(ErrorType.TRANSIENT, `the client could not be reached, so \`${message.type}\` had no effect`, {
      retryable: true,
      partialSideEffects: false,
      suggestion: 'try again once the client is connected',
    })
  }
}
