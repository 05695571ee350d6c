// The history sent to the text model: the chat's messages, with the speech of voice calls between them.
import type { ChatMessage } from './chat-message.js'
import { spokenMessages } from '../voice/voice-blocks.js'
import type { VoiceEntry } from '../voice/voice-log.js'

/** The server accepts 100 messages; older ones hardly influence an answer. */
const SENT_MESSAGES = 40

export function chatHistory(messages: ChatMessage[], spoken: VoiceEntry[]): ChatMessage[] {
  return messages.flatMap((message, index) => [...spokenMessages(spoken, index), message]).slice(-SENT_MESSAGES)
}
