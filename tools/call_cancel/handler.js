// Stops a background call of the session through the built-in service `registry`.
import { ErrorType } from '../_core/error-types.js'
import { failure, success } from '../_core/tool-response.js'

/** @param {import('../../index.js').HandlerContext} context */
export async function execute({ args: { call_id: callId }, services }) {
  const outcome = await services.registry.cancel(callId)
  if (outcome !== null) return success({ callId, outcome })
  return failure(ErrorType.NOT_FOUND, `no call \`${callId}\` runs here`, {
    retryable: false,
    suggestion: 'it may have ended; list what runs with call_status',
  })
}
