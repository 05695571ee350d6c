import { OpenAITransport } from 'toolgate/voice-server/providers/openai-transport.js'
const sent = []
const client = { sendMessage: async (...message) => sent.push(message) }
const transport = new OpenAITransport(client, 'conversation-1')
await transport.sendToolResult({ id: 'call_1', name: 'echo', result: { ok: true, data: 1, intents: [], meta: {} } })
console.log(JSON.stringify(sent.map(([conversation, { role, tool_call_id: id }]) => [conversation, role, id])))
