// Asks the client to pause its user and ends the voice session; the server that owns the connection enforces the pause.
import { ErrorType } from '../_core/error-types.js'
import { IntentType, failure, success } from '../_core/tool-response.js'
import { NO_CLIENT, hasClient, sendToClient } from '../_services/client-message.js'

/** @param {import('../../index.js').HandlerContext} context */
export async function execute(context) {
  const { args, session, audit } = context
  if (!session?.isActive) {
    return failure(ErrorType.SESSION_INACTIVE, 'the session is no longer active, so there is nobody to ignore')
  }

  const durationSeconds = args.duration_seconds
  const farewellMessage = args.farewell_message
  const timeoutUntil = Date.now() + Math.round(durationSeconds * 1000)

  const undelivered = await sendToClient(context, {
    type: 'timeout',
    timeoutUntil,
    durationSeconds,
    message: farewellMessage,
  })
  if (undelivered) return undelivered

  const delivered = hasClient(context)
  audit.log('user_timeout', { durationSeconds, timeoutUntil, ...(delivered ? {} : { warning: NO_CLIENT }) })
  return success(
    { timeoutUntil, durationSeconds, farewellMessage, farewellDelivered: delivered && farewellMessage.length > 0 },
    {
      ...(delivered ? {} : { warnings: [NO_CLIENT] }),
      intents: [
        { type: IntentType.END_VOICE_SESSION, after: 'current_turn' },
        { type: IntentType.SUPPRESS_TRANSCRIPT, value: true },
      ],
    },
  )
}
