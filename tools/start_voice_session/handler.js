// Asks the client to open a voice session; the voice server makes the real one when the client connects.
import { ErrorType } from '../_core/error-types.js'
import { failure, success } from '../_core/tool-response.js'
import { NO_CLIENT, hasClient, sendToClient } from '../_services/client-message.js'

const SUFFIX_LENGTH = 6

/** A label for logs and the client, not a credential: whoever knows it may do nothing with it. */
function newSessionId() {
  const bytes = crypto.getRandomValues(new Uint8Array(SUFFIX_LENGTH))
  const suffix = Array.from(bytes, byte => (byte % 36).toString(36)).join('')
  return `voice-${Date.now()}-${suffix}`
}

/** @param {import('../../index.js').HandlerContext} context */
function isInVoice({ mode, session, voice }) {
  return mode === 'voice' || session?.mode === 'voice' || voice?.isActive?.() === true
}

/** @param {import('../../index.js').HandlerContext} context */
export async function execute(context) {
  if (isInVoice(context)) {
    return failure(ErrorType.SESSION_ACTIVE, 'a voice session is already running', {
      suggestion: 'go on in the running voice session',
    })
  }

  const sessionId = newSessionId()
  const pendingRequest = context.args.pending_request || null

  const undelivered = await sendToClient(context, { type: 'voice_session_start', sessionId, pendingRequest })
  if (undelivered) return undelivered

  const delivered = hasClient(context)
  const hasPendingRequest = pendingRequest !== null
  context.audit.log('voice_session_start', {
    sessionId,
    hasPendingRequest,
    ...(delivered ? {} : { warning: NO_CLIENT }),
  })
  const data = { session_id: sessionId, pending_request: pendingRequest }
  return success(data, delivered ? {} : { warnings: [NO_CLIENT] })
}
