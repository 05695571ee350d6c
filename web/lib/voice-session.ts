// A session that this browser began at the voice server: its resume token proves whose it is. Where both servers share a
// store, the page answers what voice asked.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Messaging, Session } from 'toolgate'
import { progressTeller } from './attach-session'
import { loadGate } from './gate'

/** As the voice server's `started` frame gives them. */
export const voiceCredentials = z.object({
  sessionId: z.string().regex(/^[\w-]{22}$/),
  resumeToken: z.string().min(16).max(128),
})

export type VoiceCredentials = z.infer<typeof voiceCredentials>

/** Attaches to it in text mode; the gate refuses (AUTH) whoever does not hold its token. */
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
    onProgress: progressTeller(messaging),
  })
}
