import { openai } from '@ai-sdk/openai'
import { convertToModelMessages, streamText } from 'ai'
import { createChatRoute } from 'toolgate/ai-sdk'
import { sharedRegistry } from 'toolgate/web'

export const POST = createChatRoute(sharedRegistry({ audit: 'none' }), {
  session: () => ({}), // an application names its user here: `principal`
  stream: async ({ messages, ...gate }) =>
    streamText({ model: openai('gpt-5.4-mini'), messages: await convertToModelMessages(messages), ...gate }),
})
