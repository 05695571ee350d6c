// The tools of a session in the Agent Development Kit: its own runner, over a scripted model.
import { endsOf } from '../peers/install.mjs'
import { testAgentConversations } from './agent-conversations.mjs'

const PROGRAM = `
import { BaseLlm, InMemoryRunner, LlmAgent } from '@google/adk'
import { toAdkTools } from 'toolgate/adk'

class ScriptedModel extends BaseLlm {
  async *generateContentAsync() {
    const calls = rounds.shift()?.map(functionCall => ({ functionCall }))
    yield { content: { role: 'model', parts: calls ?? [{ text: 'done' }] } }
  }
}
const agent = new LlmAgent({ name: 'orders', model: new ScriptedModel({ model: 'scripted' }), tools: toAdkTools(session) })
const runner = new InMemoryRunner({ agent, appName: 'orders' })
const { id: sessionId } = await runner.sessionService.createSession({ appName: 'orders', userId: 'u' })
let parts = [{ text: 'go' }]
while (parts.length > 0) {
  const asked = []
  for await (const { content } of runner.runAsync({ userId: 'u', sessionId, newMessage: { role: 'user', parts } })) {
    for (const { functionCall, functionResponse } of content?.parts ?? []) {
      if (functionCall?.name === 'adk_request_confirmation') asked.push(functionCall)
      if (functionResponse && functionResponse.response.error?.type !== 'CONFIRMATION_REQUIRED') answers.push(functionResponse.response)
    }
  }
  parts = []
  for (const { id, name, args } of asked) {
    previews.push(args.toolConfirmation.hint)
    const reply = replies.shift()
    if (reply === undefined) continue
    const response = { confirmed: reply.approved, payload: args.toolConfirmation.payload, ...reply.sent }
    parts.push({ functionResponse: { id, name, response } })
  }
}
`

// The kit takes what is no confirmation for a refusal.
testAgentConversations({
  dependencies: endsOf(['@google/adk']),
  program: PROGRAM,
  results: {
    'equal calls of one message are one question, and a yes runs one': { answers: [{ cancelled: 'A-17' }] },
    'equal calls of one message are one question, and a no runs none': { answers: ['CANCELLED'] },
    'a reply that is no decision asks again': {
      answers: ['CANCELLED'],
      previews: ['Cancel the order A-17'],
      ran: [],
    },
  },
})
