import { openai } from '@ai-sdk/openai'
import { convertToModelMessages, stepCountIs, streamText } from 'ai'
import { createRegistry } from 'toolgate'
import { denyDeclined, toAiSdkTools } from 'toolgate/ai-sdk'

globalThis.toolRegistry ??= createRegistry({ audit: 'none', strayErrors: 'report' }).load()

export async function POST(request) {
  const { id, messages } = await request.json()
  const registry = await globalThis.toolRegistry
  const session = await registry.createSession({ sessionId: id, mode: 'text' })
  if (messages.at(-1)?.role === 'user') await session.beginTurn()
  await denyDeclined(session, messages)
  const result = streamText({
    model: openai('gpt-5-mini'),
    tools: toAiSdkTools(session),
    messages: await convertToModelMessages(messages),
    stopWhen: stepCountIs(5),
    abortSignal: request.signal,
  })
  return result.toUIMessageStreamResponse({ originalMessages: messages })
}
