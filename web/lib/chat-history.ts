// What the text model is sent: the chat's messages, with what was said in voice calls between them.
import type { ChatMessage } from './chat-message'
import { spokenMessages } from './voice/voice-blocks'
import type { VoiceEntry } from './voice/voice-log'

/** The server takes a hundred messages; what is further back than this no longer shapes an answer. */
const SENT_MESSAGES = 40

export function chatHistory(messages: ChatMessage[], spoken: VoiceEntry[]): ChatMessage[] {
  return messages.flatMap((message, index) => [...spokenMessages(spoken, index), message]).slice(-SENT_MESSAGES)
}
