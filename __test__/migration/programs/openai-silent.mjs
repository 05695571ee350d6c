import { once } from 'node:events'
import { OpenAITransport } from 'toolgate/voice-server/providers/openai-transport.js'
process.removeAllListeners('warning')
const warned = once(process, 'warning')
const transport = new OpenAITransport({}, 'conversation-1')
const answer = { id: 'call_1', name: 'echo', result: { ok: true, intents: [], meta: {} } }
const messages = [transport.sendToolResult(answer), transport.sendToolResult(answer)]
const [{ code }] = await warned
console.log(JSON.stringify([code, messages.map(message => message.role)]))
