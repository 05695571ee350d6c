// Scripted providers with a tool search of their own, as their documents describe it: a `fetch` for their SDKs. Each answer
// searches and calls the found tool; a request that the provider would refuse fails the conversation.
import { THREE_NEEDS } from '../../bench/search/many-tools.mjs'

const DONE = 'All three are done.'

/** Whether the request declares the search tool and defers the rest; why the provider refuses it, else null. */
function refusalOf(tools, isSearch) {
  if (tools.filter(isSearch).length !== 1) return 'one search tool is needed'
  if (tools.some(tool => isSearch(tool) && tool.defer_loading)) return 'the search tool is deferred'
  if (tools.some(({ input_examples: examples }) => examples !== undefined)) return 'examples do not go with tool search'
  if (!tools.some(({ defer_loading: isDeferred }) => isDeferred)) return 'nothing is deferred'
  return null
}

/**
 * @param {(request: object, needed: object | undefined, at: number) => { refusal: string | null, answer: object }} respond
 */
function scripted(respond) {
  const requests = []
  const fetch = async (_url, { body }) => {
    const request = JSON.parse(body)
    const at = requests.push(request) - 1
    const { refusal, answer } = respond(request, THREE_NEEDS[at], at)
    if (refusal !== null) return Response.json({ type: 'error', error: { message: refusal } }, { status: 400 })
    return Response.json(answer)
  }
  return { fetch, requests }
}

/** The Responses API with hosted tool search. Its items must come back in the next request's input. */
export function searchingResponses() {
  const given = []
  return scripted((request, needed, at) => {
    const refusal = refusalOf(request.tools, ({ type }) => type === 'tool_search')
    const isRepeated = given.every(item => request.input.some(sent => isSame(sent, item)))
    const output = needed === undefined ? [words(at)] : searchAndCall(request.tools, needed, at)
    given.push(...output)
    const usage = { input_tokens: 1, output_tokens: 1 }
    const answer = {
      id: `resp_${at}`,
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'any',
      output,
      usage,
    }
    return { refusal: refusal ?? (isRepeated ? null : 'an item of the model is missing'), answer }
  })
}

/** An item is repeated whole or by its id, a call of a function also by its call id. */
const isSame = (sent, { id, call_id: callId }) => sent.id === id || (callId != null && sent.call_id === callId)

function words(at) {
  const content = [{ type: 'output_text', text: DONE, annotations: [] }]
  return { id: `msg_${at}`, type: 'message', role: 'assistant', status: 'completed', content }
}

function searchAndCall(tools, { name, args }, at) {
  const found = tools.filter(tool => tool.name === name)
  const search = { execution: 'server', call_id: null, status: 'completed' }
  const text = JSON.stringify(args)
  return [
    { id: `tsc_${at}`, type: 'tool_search_call', arguments: { paths: [name] }, ...search },
    { id: `tso_${at}`, type: 'tool_search_output', tools: found, ...search },
    { id: `fc_${at}`, type: 'function_call', call_id: `call_native_${at}`, name, arguments: text, status: 'completed' },
  ]
}

/** The Messages API with the BM25 tool search. Its blocks must come back in the next request's messages. */
export function searchingMessages() {
  const given = []
  return scripted((request, needed, at) => {
    const refusal = refusalOf(request.tools, ({ type }) => type === 'tool_search_tool_bm25_20251119')
    const repeated = request.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)
    const isRepeated = JSON.stringify(repeated) === JSON.stringify(given)
    const content = needed === undefined ? [{ type: 'text', text: DONE }] : searchAndUse(needed, at)
    given.push(content)
    const stop_reason = needed === undefined ? 'end_turn' : 'tool_use'
    const usage = { input_tokens: 1, output_tokens: 1 }
    const answer = { id: `msg_${at}`, type: 'message', role: 'assistant', model: 'any', content, stop_reason, usage }
    return { refusal: refusal ?? (isRepeated ? null : 'a block of the model is missing'), answer }
  })
}

function searchAndUse({ query, name, args }, at) {
  const id = `srvtoolu_${at}`
  const found = {
    type: 'tool_search_tool_search_result',
    tool_references: [{ type: 'tool_reference', tool_name: name }],
  }
  return [
    { type: 'text', text: 'I search for a tool.' },
    { type: 'server_tool_use', id, name: 'tool_search_tool_bm25', input: { query } },
    { type: 'tool_search_tool_result', tool_use_id: id, content: found },
    { type: 'tool_use', id: `toolu_native_${at}`, name, input: args },
  ]
}
