// The attachment of one chat request: its session, its turn, and the line from tools to the page.
import { type Session, ToolError } from 'toolgate'
import { attachSession } from './attach-session'
import type { ChatData, ChatMessage } from './chat-message'
import { newSessionKey, readSessionKey, setCookie } from './session-cookie'
import { noteUserTimeout, refuseDuringTimeout } from './user-timeout'

type ToolMessage = ChatData['tool-message']
type Sink = (message: ToolMessage) => void

export interface ChatTurn {
  session: Session
  /** To be sent with the answer: the session's cookie, new or renewed. */
  cookie: string
  /** Opens the line for `messaging.send` of tools; `null` closes it. */
  deliverTo(sink: Sink | null): void
}

/** Attaches and begins the turn of the last message, once: sent again, it goes on with the same turn. */
export async function openChatTurn(request: Request, messages: ChatMessage[]): Promise<ChatTurn> {
  const key = readSessionKey(request) ?? newSessionKey()
  let sink: Sink | null = null
  const session = await attachSession(request, key, {
    send(message) {
      if (!sink) throw new ToolError('TRANSIENT', 'the page is no longer connected', { retryable: true })
      noteUserTimeout(session, message)
      sink(message as ToolMessage)
    },
  })
  try {
    refuseDuringTimeout(session)
    await session.beginTurn(messages.at(-1)?.id)
  } catch (error) {
    await session.detach()
    throw error
  }
  return { session, cookie: setCookie(request, key), deliverTo: (next) => void (sink = next) }
}
