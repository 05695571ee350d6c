// Declares that the voice session ends; the gate turns the intent and this data into the session's pending end.
import { IntentType, success } from '../_core/tool-response.js'

/** @param {import('../../index.js').HandlerContext} context */
export async function execute({ args }) {
  return success(
    {
      reason: args.reason ?? 'user_requested',
      finalMessage: args.final_message ?? null,
      textResponse: args.text_response ?? null,
    },
    { intents: [{ type: IntentType.END_VOICE_SESSION, after: 'current_turn' }] },
  )
}
