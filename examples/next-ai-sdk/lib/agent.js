import { openai } from '@ai-sdk/openai'
import { convertToModelMessages, streamText } from 'ai'
import { createAgentRoutes, sharedRegistry } from 'toolgate/web'

// An application names its users here, by `authenticate`: without it, a signed cookie stands for the user.
export const agent = createAgentRoutes(sharedRegistry({ audit: 'none' }), {
  answer: async ({ messages, tools, ...gate }) =>
    streamText({
      model: openai('gpt-5.4-mini'),
      messages: await convertToModelMessages(messages, { tools }),
      tools,
      ...gate,
    }),
})
