// The tools of a session in Genkit: its own loop, over a scripted model.
import { testAgentConversations } from './agent-conversations.mjs'

const PROGRAM = `
import { genkit } from 'genkit/beta'
import { toGenkitTools } from 'toolgate/genkit'

const ai = genkit({})
const toPart = ({ id, name, args }) => ({ toolRequest: { ref: id, name, input: args } })
const model = ai.defineModel({ name: 'scripted', supports: { tools: true } }, async ({ messages }) => {
  for (const { toolResponse } of messages.at(-1).content) if (toolResponse) answers.push(toolResponse.output)
  return { message: { role: 'model', content: rounds.shift()?.map(toPart) ?? [{ text: 'done' }] }, finishReason: 'stop' }
})
let reply = await ai.generate({ model, prompt: 'go', tools: toGenkitTools(session) })
while (reply.interrupts.length > 0) {
  const [interrupt] = reply.interrupts
  previews.push(interrupt.metadata.interrupt.request.preview)
  if (replies.length === 0) break
  const tools = toGenkitTools(session)
  const restart = [tools[0].restart(interrupt, replies.shift())]
  reply = await ai.generate({ model, messages: reply.messages, tools, resume: { restart } })
}
`

// Genkit can't interrupt a restarted call.
testAgentConversations({
  dependencies: { lowest: { genkit: '1.20.0' }, newest: { genkit: '^1.20.0' } },
  program: PROGRAM,
  results: {
    'equal calls of one message are one question, and a yes runs one': {
      answers: ['CONFIRMATION_REQUIRED', { cancelled: 'A-17' }],
    },
    'equal calls of one message are one question, and a no runs none': {
      answers: ['CONFIRMATION_REQUIRED', 'CANCELLED'],
    },
    'a reply that is no decision asks again': {
      answers: ['CONFIRMATION_REQUIRED'],
      previews: ['Cancel the order A-17'],
      pending: 1,
      ran: [],
    },
  },
})
