// Attaches to a session that this browser began at the voice server: the resume token proves its ownership, together with
// the identity that it was issued to, if clients have one. If both
// servers share a store, the page answers the questions of the voice call; if not, there is no such session here.
import { z } from 'zod'
import type { Session } from 'toolgate'
import { type Attachment, attachSession, progressSender } from './attach-session'
import { loadGate } from './gate'
import { RequestRefusal } from './request-refusal'
import { readSessionKey } from './session-cookie'
import type { Visitor } from './visitor'

/** As in the voice server's `started` frame. */
export const voiceCredentials = z.object({
  sessionId: z.string().regex(/^[\w-]{22}$/),
  resumeToken: z.string().min(16).max(128),
})

export type VoiceCredentials = z.infer<typeof voiceCredentials>

/** Attaches in text mode; the gate refuses a wrong token or identity (AUTH) and a session that does not exist (SESSION_INACTIVE). */
export async function attachVoiceSession(
  { sessionId, resumeToken }: VoiceCredentials,
  { identity }: Visitor,
  { messaging, timeZone }: Attachment = {},
): Promise<Session> {
  const registry = await loadGate()
  return registry.createSession({
    sessionId,
    principal: identity?.principal,
    resumeToken,
    resumeOnly: true,
    roles: identity?.roles,
    mode: 'text',
    messaging,
    timeZone,
    onProgress: progressSender(messaging),
  })
}

/** Attaches to the session whose questions a page answers: that of a voice call, or of its cookie. @throws RequestRefusal */
export async function attachAsked(request: Request, visitor: Visitor, voice?: VoiceCredentials): Promise<Session> {
  if (voice) return attachVoiceSession(voice, visitor)
  const key = readSessionKey(request)
  if (!key) throw new RequestRefusal(401, 'AUTH', 'this browser has no session, so nothing waits for its confirmation')
  return attachSession(request, visitor, key)
}
