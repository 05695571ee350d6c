// One chat request's session, turn, and channel from tools to the page.
import { type Messaging, type Session, ToolError } from 'toolgate'
import { attachSession, whileAttached } from './attach-session'
import type { ChatRequest } from './chat-request'
import type { ChatData } from './chat-message'
import { newSessionKey, readSessionKey, setCookie } from './session-cookie'
import { recordUserTimeout, refuseDuringTimeout } from './user-timeout'
import { type Visitor, countNewSession } from './visitor'
import { attachVoiceSession } from './voice-session'

type ToolMessage = ChatData['tool-message']
type Sink = (message: ToolMessage) => void

export interface ChatTurn {
  session: Session
  /** Header of the answer: the session's cookie, new or renewed; `null` if the session is that of a voice call. */
  cookie: string | null
  /** Changes the conversation, which is kept by the session of the browser's cookie, also while it uses that of a voice call. */
  keep(change: (session: Session) => void): Promise<void>
  /** Sets the receiver of tools' `messaging.send`; `null` removes it. */
  deliverTo(sink: Sink | null): void
}

/** Attaches and begins the turn of the last message. The same message sent again continues its turn. */
export async function openChatTurn(
  request: Request,
  visitor: Visitor,
  { messages, voice, timeZone }: ChatRequest,
): Promise<ChatTurn> {
  const own = readSessionKey(request)
  if (own === null && !voice) await countNewSession(visitor)
  const key = own ?? newSessionKey()
  let sink: Sink | null = null
  const messaging: Messaging = {
    send(message) {
      if (!sink) throw new ToolError('TRANSIENT', 'the page is no longer connected', { retryable: true })
      recordUserTimeout(session, message)
      sink(message as ToolMessage)
    },
  }
  const session = voice
    ? await attachVoiceSession(voice, visitor, { messaging, timeZone })
    : await attachSession(request, visitor, key, { messaging, timeZone })
  try {
    refuseDuringTimeout(session)
    await session.beginTurn(messages.at(-1)?.id)
  } catch (error) {
    await session.detach()
    throw error
  }
  return {
    session,
    cookie: voice ? null : setCookie(request, key),
    keep: async change => {
      if (voice && own === null) return
      // Attached anew: another tab may have added to it since the turn began.
      const keeper = await attachSession(request, visitor, key)
      await whileAttached(keeper, async () => change(keeper))
    },
    deliverTo: next => void (sink = next),
  }
}
