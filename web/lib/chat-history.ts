// The history sent to the text model: the chat's messages, with the speech of voice calls between them.
import type { ChatMessage } from './chat-message'
import { spokenMessages } from './voice/voice-blocks'
import type { VoiceEntry } from './voice/voice-log'

/** The server accepts 100 messages; older ones hardly influence an answer. */
const SENT_MESSAGES = 40

export function chatHistory(messages: ChatMessage[], spoken: VoiceEntry[]): ChatMessage[] {
  return messages.flatMap((message, index) => [...spokenMessages(spoken, index), message]).slice(-SENT_MESSAGES)
}
