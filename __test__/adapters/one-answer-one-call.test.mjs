// What decides a confirmation comes from the host's channel, and a yes to one question runs that one: in the frameworks that the
// repository has; the others are in __test__/packed.
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { Command, MemorySaver, MessagesAnnotation, START, StateGraph, interrupt } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { RunContext } from '@openai/agents'
import { generateText, stepCountIs } from 'ai'
import aiSdk from '../../js/adapters/ai-sdk.js'
import langchain from '../../js/adapters/langchain.js'
import openaiAgents from '../../js/adapters/openai-agents.js'
import toolCall from '../../js/adapters/tool-call.js'
import { openNotes } from './note-tools.mjs'
import { answerIn, scriptedModel, toolMessages } from './scripted-provider.mjs'

let notes
beforeEach(async () => {
  notes = await openNotes()
})
afterEach(() => notes.close())

const sentTo = () => notes.ran.map(({ args }) => args.to)
const pending = async () => (await notes.session.listPending()).map(({ args }) => args.to)
const brief = ({ ok, error }) => (ok ? 'ok' : error.type)

describe('AI SDK', () => {
  const send = (id, to) => ({ id, name: 'send_note', args: JSON.stringify({ to }) })
  const user = content => ({ role: 'user', content })

  async function request(messages, rounds) {
    const { model, requests } = scriptedModel(rounds)
    const tools = aiSdk.toAiSdkTools(notes.session)
    const result = await generateText({ model, messages, tools, stopWhen: stepCountIs(rounds.length) })
    const asked = result.content.filter(({ type }) => type === 'tool-approval-request')
    return { asked, requests, history: [...messages, ...(result.responseMessages ?? result.response.messages)] }
  }
  const answered = (history, replies) => [
    ...history,
    {
      role: 'tool',
      content: replies.map(([{ approvalId }, approved]) => ({ type: 'tool-approval-response', approvalId, approved })),
    },
  ]

  test.each([
    ['a yes runs one', true, ['Ada']],
    ['a no runs none', false, []],
  ])('equal calls of one message are one request: %s', async (_, approved, ran) => {
    const first = await request([user('send')], [[send('call_send_0001', 'Ada'), send('call_send_0002', 'Ada')]])
    expect(first.asked.map(({ toolCall: { toolCallId } }) => toolCallId)).toEqual(['call_send_0001'])
    const history = answered(first.history, [[first.asked[0], approved]])
    await aiSdk.denyDeclined(notes.session, history)
    const { requests } = await request(history, ['done'])
    const twin = requests[0].messages.find(({ tool_call_id: id }) => id === 'call_send_0002')
    expect(answerIn(twin.content).error).toMatchObject({
      type: 'CONFIRMATION_REQUIRED',
      message: '`send_note` has not run: it is the same as another call, whose confirmation is pending',
    })
    expect([sentTo(), await pending()]).toEqual([ran, []])
  })

  test.each([['call_send_0001'], ['call_1']])('a second call of a message with the id %s is refused', async id => {
    const first = await request([user('send')], [[send(id, 'Ada'), send(id, 'Eve')]])
    expect([first.asked.length, await pending()]).toEqual([1, ['Ada']])
    await request(answered(first.history, [[first.asked[0], true]]), ['done'])
    expect(sentTo()).not.toContain('Eve')
  })

  test('an approval of an earlier question runs no later call that has its id', async () => {
    const first = await request([user('send')], [[send('call_1', 'Ada')]])
    const second = await request([user('and Eve')], [[send('call_1', 'Eve')]])
    const history = answered([...first.history, ...second.history], [[first.asked[0], true]])
    // The AI SDK runs the last call that has the id.
    const tool = aiSdk.toAiSdkTools(notes.session).send_note
    const answer = await tool.execute({ to: 'Eve' }, { toolCallId: 'call_1', messages: history })
    expect([brief(answer), sentTo(), await pending()]).toEqual(['CONFIRMATION_REQUIRED', [], ['Ada', 'Eve']])
  })

  test('an equal call for a later message of the user is asked about, and runs once more', async () => {
    const first = await request([user('send')], [[send('call_send_0001', 'Ada')]])
    const second = await request(answered(first.history, [[first.asked[0], true]]), [
      [send('call_send_0002', 'Ada')],
      'done',
    ])
    expect([second.asked, toolMessages(second.requests[1]).call_send_0002.ok, sentTo()]).toEqual([[], true, ['Ada']])
    const third = await request([...second.history, user('send it again')], [[send('call_send_0003', 'Ada')]])
    expect(third.asked).toHaveLength(1)
    await request(answered(third.history, [[third.asked[0], true]]), ['done'])
    expect(sentTo()).toEqual(['Ada', 'Ada'])
  })

  test('a call without an id is asked about, and runs once it is approved', async () => {
    const history = [
      user('send'),
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: '', toolName: 'send_note', input: { to: 'Ada' } }],
      },
    ]
    const tool = aiSdk.toAiSdkTools(notes.session).send_note
    expect(await tool.needsApproval({ to: 'Ada' }, { toolCallId: '', messages: history.slice(0, 1) })).toBe(true)
    history[1].content.push({ type: 'tool-approval-request', approvalId: 'a', toolCallId: '' })
    history.push({ role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] })
    const later = aiSdk.toAiSdkTools(notes.session).send_note
    expect(brief(await later.execute({ to: 'Eve' }, { toolCallId: '', messages: history }))).toBe(
      'CONFIRMATION_REQUIRED',
    )
    expect(brief(await later.execute({ to: 'Ada' }, { toolCallId: '', messages: history }))).toBe('ok')
    expect(sentTo()).toEqual(['Ada'])
  })
})

test('a no to a call without an id closes its question, also with the next message of the user', async () => {
  const user = { role: 'user', content: 'send' }
  const tool = aiSdk.toAiSdkTools(notes.session).send_note
  await tool.needsApproval({ to: 'Ada' }, { toolCallId: '', messages: [user] })
  const call = { type: 'tool-call', toolCallId: '', toolName: 'send_note', input: { to: 'Ada' } }
  const request = { type: 'tool-approval-request', approvalId: 'a', toolCallId: '' }
  const history = [
    user,
    { role: 'assistant', content: [call, request] },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: false }] },
    { role: 'user', content: 'better not' },
  ]
  expect([await pending(), await aiSdk.denyDeclined(notes.session, history)]).toEqual([['Ada'], 1])
  expect([await pending(), sentTo()]).toEqual([[], []])
})

describe('LangGraph', () => {
  const call = (id, to) => ({ id, name: 'send_note', args: { to }, type: 'tool_call' })
  const thread = { configurable: { thread_id: 'one' } }
  function graphOf() {
    const tools = new ToolNode(langchain.toLangChainTools(notes.session, { interrupt }))
    const graph = new StateGraph(MessagesAnnotation).addNode('tools', tools).addEdge(START, 'tools')
    return graph.compile({ checkpointer: new MemorySaver() })
  }
  const begin = (graph, ...calls) =>
    graph.invoke({ messages: [new HumanMessage('send'), new AIMessage({ content: '', tool_calls: calls })] }, thread)
  const reply = (graph, resume) => graph.invoke(new Command({ resume }), thread)
  const results = ({ messages }) => messages.flatMap(({ artifact }) => (artifact ? [brief(artifact)] : []))

  test.each([
    ['a yes runs one', true, ['ok', 'CONFIRMATION_REQUIRED'], ['Ada']],
    ['a no runs none', false, ['CANCELLED', 'CONFIRMATION_REQUIRED'], []],
  ])('equal calls of one step interrupt once: %s', async (_, approved, answers, ran) => {
    const graph = graphOf()
    const { __interrupt__: interrupts } = await begin(
      graph,
      call('call_send_0001', 'Ada'),
      call('call_send_0002', 'Ada'),
    )
    expect(interrupts.map(({ value }) => value.callId)).toEqual(['call_send_0001'])
    const { callId, nonce } = interrupts[0].value
    const result = await reply(graph, { callId, nonce, approved })
    expect([result.__interrupt__, results(result)]).toEqual([undefined, answers])
    expect([sentTo(), await pending()]).toEqual([ran, []])
  })

  test('an equal call of short ids is answered without an id that no model has seen', async () => {
    const graph = graphOf()
    await begin(graph, call('call_1', 'Ada'), call('call_2', 'Ada'))
    const [{ value }] = (await graph.getState(thread)).tasks.flatMap(({ interrupts }) => interrupts)
    const { messages } = await reply(graph, { callId: value.callId, nonce: value.nonce, approved: true })
    const [, twin] = messages.flatMap(({ artifact }) => (artifact ? [artifact] : []))
    expect(twin.error.details).toEqual({ reason: 'equal_call_pending' })
    expect(JSON.stringify(twin)).not.toContain('task_')
  })

  test.each([
    ['for another call', () => ({ callId: 'call_other_0001', approved: true })],
    ['with the nonce of another call', ({ callId }) => ({ callId, nonce: 'a'.repeat(32), approved: true })],
    ['with no decision', ({ callId, nonce }) => ({ callId, nonce, approved: 'yes' })],
  ])('a reply %s runs nothing, and the question stays', async (_, toReply) => {
    const graph = graphOf()
    const { __interrupt__: interrupts } = await begin(graph, call('call_send_0001', 'Ada'))
    await reply(graph, toReply(interrupts[0].value))
    expect([sentTo(), await pending()]).toEqual([[], ['Ada']])
  })
})

describe('OpenAI Agents', () => {
  const args = '{"to":"Ada"}'
  const approvalOf = context => decision => {
    context.isToolApproved = ({ callId }) => decision[callId]
  }
  const details = callId => ({ toolCall: { callId } })
  const toolOf = () => openaiAgents.toAgentTools(notes.session).find(({ name }) => name === 'send_note')

  test('equal calls of one run are one interruption', async () => {
    const [tool, context] = [toolOf(), new RunContext()]
    const asked = []
    for (const id of ['call_send_0001', 'call_send_0002'])
      asked.push(await tool.needsApproval(context, { to: 'Ada' }, id))
    expect(asked).toEqual([true, false])
    approvalOf(context)({ call_send_0001: true })
    const answers = []
    for (const id of ['call_send_0001', 'call_send_0002']) answers.push(await tool.invoke(context, args, details(id)))
    expect(answers.map(text => brief(JSON.parse(text)))).toEqual(['ok', 'CONFIRMATION_REQUIRED'])
    expect(sentTo()).toEqual(['Ada'])
  })

  test('an equal call after a refusal in the run is asked about', async () => {
    const [tool, context] = [toolOf(), new RunContext()]
    await tool.needsApproval(context, { to: 'Ada' }, 'call_send_0001')
    approvalOf(context)({ call_send_0001: false })
    expect(await tool.needsApproval(context, { to: 'Ada' }, 'call_send_0002')).toBe(true)
    expect(await pending()).toEqual(['Ada'])
  })

  test('an approval that was given before runs no later call with its id', async () => {
    const [tool, context] = [toolOf(), new RunContext()]
    approvalOf(context)({ call_1: true })
    await tool.needsApproval(context, { to: 'Eve' }, 'call_1')
    const answer = await tool.invoke(context, '{"to":"Eve"}', details('call_1'))
    expect(brief(JSON.parse(answer))).toBe('CONFIRMATION_EXPIRED')
    expect([sentTo(), await pending()]).toEqual([[], []])
  })
})

describe('wrapToolCall', () => {
  const send = (id, to) => ({ id, name: 'send_note', args: { to } })

  test.each([
    ['a yes runs one', true, ['ok', 'ok'], ['Ada']],
    ['a no runs none', false, ['CANCELLED', 'CANCELLED'], []],
    ['no reply leaves one', undefined, ['CONFIRMATION_REQUIRED', 'CONFIRMATION_REQUIRED'], []],
  ])('equal calls that wait together ask once: %s', async (_, approved, answers, ran) => {
    const questions = []
    const confirm = async ({ callId }) => {
      questions.push(callId)
      await new Promise(resolve => setImmediate(resolve))
      return approved
    }
    const call = toolCall.wrapToolCall(notes.session, { confirm })
    const both = await Promise.all([call(send('call_send_0001', 'Ada')), call(send('call_send_0002', 'Ada'))])
    expect([both.map(brief), questions, sentTo()]).toEqual([answers, ['call_send_0001'], ran])
  })

  test('different calls with one id are asked about each, and a no closes its own question', async () => {
    const confirm = async ({ request }) => request.args.to === 'Ada'
    const call = toolCall.wrapToolCall(notes.session, { confirm })
    const both = await Promise.all([call(send('call_1', 'Ada')), call(send('call_1', 'Eve'))])
    expect([both.map(brief), sentTo(), await pending()]).toEqual([['ok', 'CANCELLED'], ['Ada'], []])
  })

  test.each([[''], [undefined], [null]])('a call with the id %p is asked about, and runs', async id => {
    const call = toolCall.wrapToolCall(notes.session, { confirm: () => true })
    expect(brief(await call(send(id, 'Ada')))).toBe('ok')
    expect(sentTo()).toEqual(['Ada'])
  })
})
