// The tools of a session in Genkit: its own loop, over a scripted model.
import { endsOf } from '../peers/install.mjs'
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
// Genkit takes the replies to all interrupts of a message at once.
const restart = (reply, decisions) => {
  const tools = toGenkitTools(session)
  const restarts = reply.interrupts.map((interrupt, at) => tools[0].restart(interrupt, decisions[at]))
  return ai.generate({ model, messages: reply.messages, tools, resume: { restart: restarts } })
}
const confirmElsewhere = async () => {
  const [{ token }] = await session.listPending()
  await session.confirm(token)
  await session.beginTurn()
}
let messages = []
while (messages !== null) {
  // Genkit gives a tool no message of the user: the host begins the turn.
  await session.beginTurn()
  messages.push({ role: 'user', content: [{ text: 'go' }] })
  let reply = await ai.generate({ model, messages, tools: toGenkitTools(session) })
  while (reply.interrupts.length > 0) {
    for (const { metadata } of reply.interrupts) previews.push(metadata.interrupt.request.preview)
    if (replies.length === 0) break
    const decisions = replies.splice(0, reply.interrupts.length)
    if (decisions[0].ranBefore) await confirmElsewhere()
    const answered = await restart(reply, decisions)
    reply = decisions[0].sentTwice ? await restart(reply, decisions) : answered
  }
  messages = rounds.length > 0 ? [...reply.messages] : null
}
`

const cancel = id => ({ id, name: 'cancel_order', args: { number: 'A-17' } })
const preview = 'Cancel the order A-17'
const cancelled = { cancelled: 'A-17' }
/** The model's end of an answer: what it calls next, it calls for the user's next message. */
const DONE = null

// Genkit can't interrupt a restarted call.
testAgentConversations({
  dependencies: endsOf(['genkit']),
  program: PROGRAM,
  own: {
    'an equal write for a later message is asked about again, and runs again': {
      rounds: [[cancel('call_cancel_0001')], DONE, [cancel('call_cancel_0002')]],
      replies: [{ approved: true }, { approved: true }],
      result: { answers: [cancelled, cancelled], previews: [preview, preview], pending: 0, ran: ['A-17', 'A-17'] },
    },
    'an equal write for a later message runs only once it is approved': {
      rounds: [[cancel('call_cancel_0001')], DONE, [cancel('call_cancel_0002')]],
      replies: [{ approved: true }, { approved: false }],
      result: { answers: [cancelled, 'CANCELLED'], previews: [preview, preview], pending: 0, ran: ['A-17'] },
    },
    'an approval that is sent twice runs once, and both are answered with the result': {
      rounds: [[cancel('call_cancel_0001')]],
      replies: [{ approved: true, sentTwice: true }],
      result: { answers: [cancelled, cancelled], previews: [preview], pending: 0, ran: ['A-17'] },
    },
    ...Object.fromEntries(
      [true, false].map(approved => [
        `a late reply (approved: ${approved}) to a call that has run is answered with its result`,
        {
          rounds: [[cancel('call_cancel_0001')]],
          replies: [{ approved, ranBefore: true }],
          result: { answers: [cancelled], previews: [preview], pending: 0, ran: ['A-17'] },
        },
      ]),
    ),
  },
  results: {
    // Genkit lists answers as they come: a refused call does not wait for a schema's code.
    'calls go through the gate as the model sent them': {
      answers: ['VALIDATION', { number: 'A-17', arrives: 'on Friday' }],
    },
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
