import type { ChatData } from '@/lib/chat-message'

type ToolMessage = ChatData['tool-message']

/** What a tool told the user directly. */
export function ToolMessageNote({ message }: { message: ToolMessage }) {
  return <p className="note">{wording(message)}</p>
}

function wording(message: ToolMessage): string {
  switch (message.type) {
    case 'timeout':
      return String(message.message || 'The assistant has paused this conversation.')
    case 'voice_session_start':
      return message.pendingRequest ? `A voice session was asked for: “${message.pendingRequest}”` : 'A voice session was asked for.'
    default:
      return `Message of a tool: ${message.type}`
  }
}
