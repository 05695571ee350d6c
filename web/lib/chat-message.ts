// The chat's message types, shared by server and page.
export type { ChatData, ChatMessage, PendingCard } from 'toolgate-react'
