// `toolgate/voice`, as TypeScript sees it with the real `@google/genai` and `ws`.
import { GoogleGenAI } from '@google/genai'
import { createRegistry } from 'toolgate'
import { geminiLive, openaiRealtime, serveVoiceCall, type VoiceModel } from 'toolgate/voice'
import { WebSocket } from 'ws'

const ai = new GoogleGenAI({ apiKey: 'any' })
const model: VoiceModel = geminiLive(ai, { model: 'any', config: { systemInstruction: 'Be brief.' } })
declare const socket: WebSocket
const call: Promise<void> = serveVoiceCall(() => createRegistry().load(), {
  socket,
  session: { sessionId: 'call-1', principal: 'user-17' },
  model,
  spokenConsent: { languages: ['en'] },
  frameOf: event => (event.type === 'confirmation' ? { type: 'card', preview: event.preview } : event),
  onError: console.error,
})
void openaiRealtime(() => new WebSocket('wss://api.example/v1/realtime'), { session: { instructions: 'Be brief.' } })
// @ts-expect-error: the page's socket is missing
serveVoiceCall(createRegistry(), { session: {}, model })
void call
