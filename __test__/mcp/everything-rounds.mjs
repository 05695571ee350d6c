// The tools by which the conformance suite looks at questions that are results of requests, of 2026-07-28.
import { randomBytes, randomUUID } from 'node:crypto'

import { acceptedContent, createRequestStateCodec, inputRequired } from '@modelcontextprotocol/server'

import { text } from './everything-media.mjs'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

export const STATES = createRequestStateCodec({ key: randomBytes(32) })

const done = value => ({ content: [text(value)] })

const form = (message, name, type = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] },
  })
const completion = words =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens: 50 })
const folders = () => inputRequired.listRoots()
const ask = async (inputRequests, state) =>
  inputRequired({
    inputRequests,
    ...(state === undefined ? {} : { requestState: await STATES.mint({ ...state, nonce: randomUUID() }) }),
  })

/** Asks with a state until the request has both the state and the answer. */
const confirmed = about => async (_, mcpReq) => {
  const answer = acceptedContent(mcpReq.inputResponses, 'confirm')
  if (answer === undefined || mcpReq.requestState() === undefined)
    return ask({ confirm: form('Go on?', 'ok', 'boolean') }, { about })
  return done('state-ok')
}

async function multiRound(_, { inputResponses, requestState }) {
  const { round = 0, name } = requestState() ?? {}
  if (round === 0) return ask({ step1: form('Your name?', 'name') }, { round: 1 })
  if (round === 1) {
    const answer = acceptedContent(inputResponses, 'step1')
    return ask({ step2: form('Your colour?', 'color') }, { round: 2, name: answer?.name ?? 'nobody' })
  }
  return done(`${name} likes ${acceptedContent(inputResponses, 'step2')?.color ?? 'nothing'}`)
}

async function severalInputs(_, { inputResponses: answers }) {
  const name = acceptedContent(answers, 'user_name')?.name
  const [greeting, roots] = [answers?.greeting?.content?.text, answers?.client_roots?.roots]
  if (name !== undefined && greeting !== undefined && roots !== undefined)
    return done(`${greeting}, ${name} of ${roots.length} folders`)
  const requests = { user_name: form('Your name?', 'name'), greeting: completion('Greet.'), client_roots: folders() }
  return ask(requests, { about: 'several' })
}

/** Asks for what the client of the request can do. */
async function whatIsOffered(_, { inputResponses, envelope }) {
  if (inputResponses !== undefined) return done('It was answered.')
  const { elicitation, sampling, roots } = envelope?.[CAPABILITIES] ?? {}
  const requests = {
    ...(elicitation && { user_name: form('Your name?', 'name') }),
    ...(sampling && { greeting: completion('Greet.') }),
    ...(roots && { client_roots: folders() }),
  }
  return Object.keys(requests).length === 0 ? done('There is nothing to ask.') : ask(requests)
}

const asksFor = (name, request, answered) => async (_, mcpReq) => {
  const answer = mcpReq.inputResponses?.[name]
  return answer === undefined ? ask({ [name]: request() }) : done(answered(answer))
}

export const ROUND_TOOLS = {
  test_input_required_result_elicitation: async (_, { inputResponses }) => {
    const name = acceptedContent(inputResponses, 'user_name')?.name
    return name === undefined ? ask({ user_name: form('Your name?', 'name') }) : done(`Hello, ${name}!`)
  },
  test_input_required_result_sampling: asksFor(
    'capital_question',
    () => completion('What is the capital of France?'),
    answer => String(answer.content?.text),
  ),
  test_input_required_result_list_roots: asksFor('client_roots', folders, ({ roots }) => JSON.stringify(roots)),
  test_input_required_result_request_state: confirmed('request state'),
  test_input_required_result_tampered_state: confirmed('tampered state'),
  test_input_required_result_multiple_inputs: severalInputs,
  test_input_required_result_multi_round: multiRound,
  test_input_required_result_capabilities: whatIsOffered,
  test_missing_capability: asksFor(
    'llm_answer',
    () => completion('Say pong.'),
    () => 'answered',
  ),
}
