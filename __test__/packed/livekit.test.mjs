// The tools of a session in LiveKit Agents: its own agent session, in text, over a scripted model.
import { endsOf } from '../peers/install.mjs'
import { testAgentConversations } from './agent-conversations.mjs'

const PROGRAM = `
import { initializeLogger, llm, voice } from '@livekit/agents'
import { toLiveKitTools } from 'toolgate/livekit'

initializeLogger({ pretty: false, level: 'silent' })
class ScriptedStream extends llm.LLMStream {
  async run() {
    const calls = rounds.shift()?.map(({ id, name, args }) => llm.FunctionCall.create({ callId: id, name, args: JSON.stringify(args) }))
    const delta = calls ? { role: 'assistant', toolCalls: calls } : { role: 'assistant', content: 'done' }
    this.queue.put({ id: 'scripted', delta })
  }
}
class ScriptedModel extends llm.LLM {
  label() { return 'scripted' }
  chat(options) { return new ScriptedStream(this, options) }
}
const confirm = ({ request }) => {
  previews.push(request.preview)
  return replies.shift()
}
const agent = new voice.Agent({ instructions: 'Help.', tools: toLiveKitTools(session, { tool: llm.tool, confirm }) })
const agentSession = new voice.AgentSession({ llm: new ScriptedModel() })
await agentSession.start({ agent })
await agentSession.run({ userInput: 'go' }).wait()
for (const { type, output } of agentSession.history.items) if (type === 'function_call_output') answers.push(JSON.parse(output))
await agentSession.close()
`

// The agent waits for the user within the call: no reply, or one that is no decision, is the call's answer.
testAgentConversations({
  dependencies: endsOf(['@livekit/agents']),
  // Its own peer.
  others: { '@livekit/rtc-node': '^0.13.34' },
  program: PROGRAM,
  results: {
    'equal calls of one message are one question, and a yes runs one': {
      answers: [{ cancelled: 'A-17' }, { cancelled: 'A-17' }],
    },
    // LiveKit lists answers as they come: a refused call does not wait for a schema's code.
    'calls go through the gate as the model sent them': {
      answers: ['VALIDATION', { number: 'A-17', arrives: 'on Friday' }],
    },
    'equal calls of one message are one question, and a no runs none': { answers: ['CANCELLED', 'CANCELLED'] },
    'a call without a reply stays pending': { answers: ['CONFIRMATION_REQUIRED'] },
    'a reply that is no decision asks again': {
      answers: ['CONFIRMATION_REQUIRED'],
      previews: ['Cancel the order A-17'],
      pending: 1,
      ran: [],
    },
  },
})
