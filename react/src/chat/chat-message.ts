// The chat's message types, shared by server and page.
import type { UIMessage } from 'ai'
import type { ShownQuestion } from '../question/shown-question.js'

/** A pending confirmation for the page; never part of a message, so it is never sent back as history. */
export type PendingCard = ShownQuestion & { token: string; callId: string | null }

export type ChatData = {
  /** A tool's message to the client (`messaging.send`), unchanged. */
  'tool-message': { type: string; [field: string]: unknown }
  confirmation: PendingCard
}

export interface ChatMetadata {
  /** The answer broke off: it was stopped, or the connection was lost. */
  isCut?: boolean
}

export type ChatMessage = UIMessage<ChatMetadata, ChatData>
