// A call that approvers decide about interrupts no framework: its user's yes would not count.
import { Agent, Runner, Usage, setTracingDisabled } from '@openai/agents'
import { generateText, stepCountIs } from 'ai'
import aiSdk from '../../js/adapters/ai-sdk.js'
import openaiAgents from '../../js/adapters/openai-agents.js'
import { openNotes } from './note-tools.mjs'
import { answerIn, scriptedModel } from './scripted-provider.mjs'

setTracingDisabled(true)
const args = JSON.stringify({ to: 'Ada' })
const MANAGER = { approver: { principal: 'cyd', roles: ['manager'] }, via: 'page' }

let notes
let session
beforeEach(async () => {
  notes = await openNotes({}, { confirmation: { approvers: { roles: ['manager'] } } })
  session = await notes.registry.createSession({ mode: 'text', principal: 'ada' })
})
afterEach(() => notes.close())

/** The answer says who decides; the call waits for them, and the model that makes it again gets the result. */
async function decided(answer, again) {
  expect(answer.error).toMatchObject({
    type: 'CONFIRMATION_REQUIRED',
    suggestion: expect.stringContaining('do not ask the user'),
    confirmation_request: { approvers: { roles: ['manager'], count: 1 } },
  })
  expect(answer.error.confirmation_request).not.toHaveProperty('token')
  const [{ token }] = await session.listPending()
  expect((await session.confirm(token, MANAGER)).ok).toBe(true)
  expect(await again()).toMatchObject({ ok: true, data: { echo: { to: 'Ada' } } })
  expect(notes.ran).toEqual([{ toolId: 'send_note', args: { to: 'Ada' } }])
}

test('in the AI SDK', async () => {
  const request = async id => {
    const { model, requests } = scriptedModel([[{ id, name: 'send_note', args }], 'done'])
    const tools = aiSdk.toAiSdkTools(session)
    const { content } = await generateText({
      model,
      messages: [{ role: 'user', content: 'send' }],
      tools,
      stopWhen: stepCountIs(2),
    })
    expect(content.filter(({ type }) => type === 'tool-approval-request')).toEqual([])
    return answerIn(requests.at(-1).messages.find(({ tool_call_id }) => tool_call_id === id).content)
  }
  await decided(await request('call_send_0001'), () => request('call_send_0002'))
})

test('in the OpenAI Agents SDK', async () => {
  const request = async callId => {
    const call = { type: 'function_call', callId, name: 'send_note', arguments: args, status: 'completed' }
    const text = {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'done' }],
    }
    const requests = []
    const model = {
      async getResponse(got) {
        requests.push(got)
        return {
          usage: new Usage(),
          output: requests.length === 1 ? [call] : [text],
          responseId: `r${requests.length}`,
        }
      },
    }
    const agent = new Agent({ name: 'notes', model, tools: openaiAgents.toAgentTools(session) })
    const { interruptions } = await new Runner().run(agent, 'send')
    expect(interruptions).toEqual([])
    const { output } = requests.at(-1).input.find(({ type }) => type === 'function_call_result')
    return JSON.parse(output.text ?? output)
  }
  await decided(await request('call_send_0001'), () => request('call_send_0002'))
})
