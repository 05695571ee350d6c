import { DefaultChatTransport } from 'ai'
import { zoneOfPage } from '../text/local-time.js'
import { fetchAnswer } from '../text/read-error.js'
import type { VoiceKey } from '../voice/voice-key.js'
import type { VoiceEntry } from '../voice/voice-log.js'
import type { ChatAddress } from './chat-api.js'
import { chatHistory } from './chat-history.js'
import type { ChatMessage } from './chat-message.js'
import { joined } from './use-conversation.js'

/** What is sent beside the messages of a chat. */
export interface ChatContext {
  spoken: VoiceEntry[]
  voice: VoiceKey | null
  /** The conversation before the page's messages. @throws RequestFailure if it is not to be had */
  earlier(): Promise<ChatMessage[]>
}

/** Sends messages with the conversation before them, which the server may have and the page may still be loading. */
export function chatTransport({ api, id }: ChatAddress, context: () => ChatContext | null) {
  return new DefaultChatTransport<ChatMessage>({
    api: `${api}/chat`,
    fetch: fetchAnswer,
    prepareSendMessagesRequest: async ({ messages, trigger, messageId }) => {
      const { spoken = [], voice = null, earlier } = context() ?? {}
      const all = joined((await earlier?.()) ?? [], messages)
      const more = { voice: voice ?? undefined, timeZone: zoneOfPage() }
      return { body: { id, messages: chatHistory(all, spoken), trigger, messageId, ...more } }
    },
  })
}
