import { OpenAITransport } from 'toolgate/voice-server/providers/openai-transport.js'
const transport = new OpenAITransport({}, 'conversation-1')
let said
try {
  transport.sendToolResult({ id: 'call_1', name: 'echo', result: { ok: true, intents: [], meta: {} } })
} catch (error) {
  said = error.message.includes('sendMessage')
}
console.log(JSON.stringify(said))
