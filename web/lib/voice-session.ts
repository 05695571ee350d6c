// Attaches to a session that this browser began at the voice server: the resume token proves its ownership. If both
// servers share a store, the page answers the questions of the voice call.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Messaging, Session } from 'toolgate'
import { progressSender } from './attach-session'
import { loadGate } from './gate'

/** As in the voice server's `started` frame. */
export const voiceCredentials = z.object({
  sessionId: z.string().regex(/^[\w-]{22}$/),
  resumeToken: z.string().min(16).max(128),
})

export type VoiceCredentials = z.infer<typeof voiceCredentials>

/** Attaches in text mode; the gate refuses (AUTH) a wrong token. */
export async function attachVoiceSession(
  { sessionId, resumeToken }: VoiceCredentials,
  messaging?: Messaging,
): Promise<Session> {
  const registry = await loadGate()
  const principal = `resume:${createHash('sha256').update(resumeToken).digest('base64url')}`
  return registry.createSession({
    sessionId,
    principal,
    mode: 'text',
    messaging,
    onProgress: progressSender(messaging),
  })
}
