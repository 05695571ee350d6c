// The messages of the chat as server and page know them.
import type { UIMessage } from 'ai'
import type { ConfirmationRequest } from 'toolgate'

/** A pending confirmation on its way to the user; never part of a message, so it never comes back as history. */
export type PendingCard = ConfirmationRequest & { token: string; callId: string | null }

export type ChatData = {
  /** What a tool sent to the client (`messaging.send`), as it is. */
  'tool-message': { type: string; [field: string]: unknown }
  confirmation: PendingCard
}

export type ChatMessage = UIMessage<unknown, ChatData>
