// The ways in which a user sees a card and answers it: what each framework keeps between the two, and hands back. A surface makes a
// call, and gives the answer, or what the card shows and how it is replied to, at the same gate or at another one.
import { AsyncLocalStorage } from 'node:async_hooks'

import { RunContext } from '@openai/agents'
import aiSdk from '../../js/adapters/ai-sdk.js'
import langchain from '../../js/adapters/langchain.js'
import livekit from '../../js/adapters/livekit.js'
import openaiAgents from '../../js/adapters/openai-agents.js'
import { sending } from '../support/confirmation-links.mjs'
import { gateway } from '../support/gate.mjs'

/**
 * @typedef {{ id: string, name: string, args: object }} Call
 * @typedef {{ approved: boolean, args?: object, place: number }} Reply `place`: of the gate that it comes to
 * @typedef {{ answer?: object, shown?: { args?: object, preview?: string }, reply?: (reply: Reply) => Promise<Made> }} Made
 * @typedef {{ session: object, registry: object, turn: string, once(key: string, make: () => object): any }} Desk one gate as its
 *   hosts have it; `once`: what a host keeps, until it is restarted
 */

const question = ({ ok, error }) => (ok ? undefined : error.confirmation_request)

/** A page of the host: the card is an answer's. @param {(session: object, call: Call, token: string, args?: object) => Promise<object>} confirm */
const page = (confirm, nameOf) => async (desks, place, call) => {
  const answer = await desks[place].session.execute(call)
  const shown = question(answer)
  if (shown === undefined) return { answer }
  const reply = async ({ approved, args, place }) => {
    const { session } = desks[place]
    if (approved) return { answer: await confirm(session, call, shown.token, args) }
    await session.deny(nameOf(call, shown.token))
    return {}
  }
  return { answer, shown, reply }
}

/** A link, on the page of a form, and as a messenger sends it. Links are made where the registry is. */
async function link(desks, _place, call) {
  const { session, registry } = desks[1]
  const answer = await session.execute(call)
  if (question(answer) === undefined) return { answer }
  const { token } = question(answer)
  const { id } = (await session.listPending()).find(pending => pending.token === token)
  const url = await registry.confirmationLink(id, { sessionId: session.sessionId, baseUrl: 'https://app.example/' })
  const { send, form, decide } = sending(registry)
  const { body } = await send(url, { headers: { accept: 'application/json' } })
  const reply = async ({ approved, place }) => {
    const decision = approved ? 'confirm' : 'deny'
    await (place === 0 ? send(url, form({ decision })) : decide(url, decision))
    return {}
  }
  return { answer, shown: { preview: body.confirmation.preview }, reply }
}

/** A conversation of the AI SDK, which the user's client sends with each request. */
async function aiSdkRequest(desks, place, call) {
  const { id: toolCallId, name: toolName, args: input } = call
  const toolsAt = place => desks[place].once('ai', () => aiSdk.toAiSdkTools(desks[place].session))
  const user = { role: 'user', id: desks[place].turn, content: 'do it' }
  const run = async (tools, messages) => ({ answer: await tools[toolName].execute(input, { toolCallId, messages }) })
  const tools = toolsAt(place)
  const asked = await aiSdk.toolApproval(tools)[toolName](input, { toolCallId, messages: [user] })
  if (asked === undefined) return run(tools, [user])
  const request = {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId, toolName, input },
      { type: 'tool-approval-request', approvalId: `a-${toolCallId}`, toolCallId },
    ],
  }
  const reply = async ({ approved, place }) => {
    const response = { type: 'tool-approval-response', approvalId: `a-${toolCallId}`, approved }
    const messages = [user, request, { role: 'tool', content: [response] }]
    const { session } = desks[place]
    if (!approved) {
      await aiSdk.denyDeclined(session, messages)
      return {}
    }
    const tools = toolsAt(place)
    await tools[toolName].needsApproval(input, { toolCallId, messages })
    return run(tools, messages)
  }
  return { shown: { preview: asked.reason }, reply }
}

/** A run of the OpenAI Agents SDK, whose context keeps what was approved. */
async function agentRun(desks, place, call) {
  const { id: callId, name, args } = call
  const toolAt = place =>
    desks[place].once('agents', () => openaiAgents.toAgentTools(desks[place].session)).find(tool => tool.name === name)
  const decisions = desks[place].once('decisions', () => ({}))
  const context = desks[place].once('context', () =>
    Object.assign(new RunContext(), { isToolApproved: ({ callId }) => decisions[callId] }),
  )
  const invoke = async place => {
    const text = await toolAt(place).invoke(context, JSON.stringify(args), { toolCall: { callId } })
    return { answer: JSON.parse(text) }
  }
  const asks = await toolAt(place).needsApproval(context, args, callId)
  if (!asks || decisions[callId] === true) return invoke(place)
  const reply = async ({ approved, place }) => {
    decisions[callId] = approved
    if (approved) return invoke(place)
    let given
    const state = { reject: (_, options) => (given = options?.message) }
    const interruption = { rawItem: { callId, name } }
    await openaiAgents.rejectCall(desks[place].session, state, interruption)
    return given === undefined ? {} : { answer: JSON.parse(given) }
  }
  return { shown: {}, reply }
}

/** The `interrupt` of each node that runs. */
const interrupts = new AsyncLocalStorage()

/** A node of LangGraph, which is repeated with the replies. */
async function graphNode(desks, place, call, resumed = []) {
  const replies = [...resumed]
  const interrupt = shown => {
    if (replies.length > 0) return replies.shift()
    throw Object.assign(new Error('interrupted'), { shown })
  }
  const { session, once } = desks[place]
  const tools = once('langchain', () =>
    langchain.toLangChainTools(session, { interrupt: value => interrupts.getStore()(value) }),
  )
  const metadata = { thread_id: 'one', langgraph_step: call.step, langgraph_checkpoint_ns: `tools:${call.step}` }
  try {
    const tool = tools.find(({ name }) => name === call.name)
    const made = () => tool.invoke({ ...call, type: 'tool_call' }, { metadata })
    const { artifact } = await interrupts.run(interrupt, made)
    return { answer: artifact }
  } catch (error) {
    if (error.shown === undefined) throw error
    const { callId, nonce, request } = error.shown
    const reply = ({ place, ...reply }) => graphNode(desks, place, call, [...resumed, { callId, nonce, ...reply }])
    return { shown: request, reply }
  }
}

/** An agent of Mastra, which is suspended and resumed. */
const mastraAgent = mastra =>
  async function make(desks, place, call, resumed = {}) {
    const tools = desks[place].once('mastra', () => mastra.toMastraTools(desks[place].session))
    let payload
    const suspend = async given => (payload = given)
    const agent = { toolCallId: call.id, suspend, ...resumed }
    const answer = await tools[call.name].execute(call.args, { runId: `run-${call.step}`, agent })
    if (payload === undefined) return { answer }
    const { nonce } = payload
    const reply = ({ place, ...reply }) =>
      make(desks, place, call, { resumeData: { nonce, ...reply }, suspendPayload: payload })
    return { shown: payload.request, reply }
  }

/** A call of Genkit, which is interrupted and restarted. */
const genkitCall = genkit => async (desks, place, call) => {
  const actionAt = place => desks[place].once('genkit', () => genkit.toGenkitTools(desks[place].session))
  const run = (place, context) =>
    actionAt(place)
      .find(({ name }) => name === call.name)
      .run(call.args, context)
  let metadata
  const interrupt = given => (metadata = given)
  const answer = await run(place, { interrupt })
  if (metadata === undefined) return { answer }
  const reply = async ({ place, ...resumed }) => ({
    answer: await run(place, { interrupt, resumed, metadata: { interrupt: metadata } }),
  })
  return { shown: metadata.request, reply }
}

/** A call of the Agent Development Kit, whose confirmation is a part of its context. */
const adkCall = adk =>
  async function make(desks, place, call, toolConfirmation) {
    const tools = desks[place].once('adk', () => adk.toAdkTools(desks[place].session))
    let request
    const toolContext = {
      functionCallId: call.id,
      toolConfirmation,
      actions: {},
      requestConfirmation: given => (request = given),
    }
    const tool = tools.find(({ name }) => name === call.name)
    const answer = await tool.runAsync({ args: call.args, toolContext })
    if (request === undefined) return { answer }
    const { nonce } = request.payload
    const reply = ({ place, approved, args }) =>
      make(desks, place, call, { confirmed: approved, payload: { nonce, args } })
    return { answer, shown: { preview: request.hint }, reply }
  }

/** An agent of LiveKit: the call waits for its user, and so does an equal one beside it. */
async function voiceAgent(desks, place, call) {
  const [asked, bothAsked, decided] = [gateway(), gateway(), gateway()]
  let asking = 2
  // What the gate says to the second is part of this step.
  const session = new Proxy(desks[place].session, {
    get: (gate, name) =>
      name !== 'ask' ? gate[name] : (...given) => gate.ask(...given).finally(() => --asking === 0 && bothAsked.open()),
  })
  const confirm = ({ request }) => {
    asked.open(request)
    return decided.passed
  }
  const tools = livekit.toLiveKitTools(session, { tool: given => given, confirm })
  const tool = tools.find(({ name }) => name === call.name)
  const made = Promise.all([call.id, `${call.id}_twin`].map(toolCallId => tool.execute(call.args, { toolCallId })))
  const done = await Promise.race([Promise.all([asked.passed, bothAsked.passed]).then(() => null), made])
  if (done !== null) return { answer: done[0] }
  const shown = await asked.passed
  const reply = async ({ approved }) => {
    decided.open(approved)
    return { answer: (await made)[0] }
  }
  return { shown, reply }
}

/** @param {{ mastra: object, genkit: object, adk: object }} kits whose frameworks are stood in for */
export const surfacesOf = ({ mastra, genkit, adk }) => ({
  token: page(
    (session, _, token, args) => session.confirm(token, { args }),
    (_, token) => token,
  ),
  call: page(
    (session, call, _, args) => session.confirm(call, { args }),
    call => call.id,
  ),
  callAndToken: page(
    (session, call, token, args) => session.confirm(call, { token, args }),
    (_, token) => token,
  ),
  link,
  aiSdk: aiSdkRequest,
  agents: agentRun,
  langchain: graphNode,
  mastra: mastraAgent(mastra),
  genkit: genkitCall(genkit),
  adk: adkCall(adk),
  livekit: voiceAgent,
})
/** Those whose replies carry the user's changes. */
export const EDITING = new Set(['token', 'call', 'callAndToken', 'langchain', 'mastra', 'genkit', 'adk'])
/** Those whose framework gives an answer again when it repeats a call. */
export const REMEMBERING = new Set(['agents', 'langchain'])
/** Those whose replies name the question, not the call alone. */
export const NAMING = new Set(['token', 'callAndToken', 'link', 'langchain', 'mastra', 'genkit', 'adk', 'livekit'])
/** Those that distinguish two calls of one id by their turn alone: a yes with a number that is given anew is to the latest. */
export const NUMBERING = new Set(['call', 'agents', 'aiSdk'])
