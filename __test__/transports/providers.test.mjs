// The import paths that voice servers use give the transports of the package.
import { GeminiLiveTransport } from '../../voice-server/providers/gemini-live-transport.js'
import { OpenAITransport } from '../../voice-server/providers/openai-transport.js'
import { ToolTransport } from '../../voice-server/providers/transport.js'
import { GoogleGenAI } from '@google/genai'

const found = { ok: true, data: {}, intents: [], meta: {} }

test('both are ToolTransports, made as `new GeminiLiveTransport(session)` and `new OpenAITransport(client, conversationId)`', () => {
  expect(new GeminiLiveTransport({})).toBeInstanceOf(ToolTransport)
  expect(new OpenAITransport({}, 'conversation-1')).toBeInstanceOf(ToolTransport)
})

test('the SDK takes an answer to a call without an id, and sends none', async () => {
  // The SDK's own Session, over a socket that only remembers.
  const frames = []
  const ai = new GoogleGenAI({ apiKey: 'any' })
  ai.live.webSocketFactory = {
    create: (_url, _headers, callbacks) => ({
      connect: () => queueMicrotask(callbacks.onopen),
      send: text => {
        frames.push(JSON.parse(text))
        if (frames.length === 1) callbacks.onmessage({ data: '{"setupComplete":{}}' })
      },
      close: () => {},
    }),
  }
  const transport = new GeminiLiveTransport(await ai.live.connect({ model: 'any', callbacks: { onmessage: () => {} } }))
  const [call] = transport.receiveToolCalls({ toolCall: { functionCalls: [{ name: 'kb_search', args: {} }] } })
  transport.sendToolResult({ ...call, result: found })
  expect(frames[1]).toEqual({ toolResponse: { functionResponses: [{ name: 'kb_search', response: found }] } })
})

test('options in the place of the client are refused', () => {
  for (const make of [
    () => new OpenAITransport({ meta: 'lean' }),
    () => new GeminiLiveTransport({ meta: 'lean' }),
    () => new GeminiLiveTransport({ surface: 'vertex' }),
  ])
    expect(make).toThrow(/^options come after the client: `new .*\(null, .*meta/)
  expect(new OpenAITransport(null, null, { meta: 'lean' })).toBeInstanceOf(ToolTransport)
})
