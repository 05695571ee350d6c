// Sends one message to the session's client, for tools whose only effect is that message.
import { ErrorType } from '../_core/error-types.js'
import { failure } from '../_core/tool-response.js'

/**
 * Sends `message` to the client of this call.
 *
 * A closed connection is an expected failure: the message was not delivered, so the tool had no effect. The failure
 * sets `partialSideEffects: false`, because the gate assumes possible effects for a tool that writes.
 *
 * @param {Pick<import('../../index.js').HandlerContext, 'messaging'>} context the handler's context
 * @param {{ type: string } & Record<string, unknown>} message
 * @returns {Promise<null | import('./service-types.js').FailedResult>} `null` when it was sent, else the failed ToolResponse to return
 */
export async function sendToClient({ messaging }, message) {
  try {
    await messaging.send(message)
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
