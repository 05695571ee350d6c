// The model side of the adapter's tests: the real OpenAI provider of the AI SDK over a scripted `fetch`, so that what the
// model sees is what would go over the wire.
import { createOpenAI } from '@ai-sdk/openai'

/**
 * A model that answers its n-th request with `rounds[n]`: a text, or tool calls `[{ id, name, args }]` with `args` as
 * the text that a provider would send. `requests` holds the bodies that it got.
 */
export function scriptedModel(rounds) {
  const requests = []
  const fetch = async (_url, { body }) => {
    const request = JSON.parse(body)
    const round = rounds[requests.length]
    requests.push(request)
    return request.stream ? streamed(round) : whole(round)
  }
  const model = createOpenAI({ apiKey: 'none', baseURL: 'http://scripted.invalid/v1', fetch }).chat('scripted')
  return { model, requests }
}

/** The tool messages of a request by call id, as the gate answered. */
export function toolMessages(request) {
  const entries = request.messages.filter(({ role }) => role === 'tool').map(m => [m.tool_call_id, answerIn(m.content)])
  return Object.fromEntries(entries)
}

/** The gate's answer in a tool message: providers of the AI SDK 7 put one that is not ok into `{ error }`. */
export function answerIn(content) {
  const sent = JSON.parse(content)
  return sent.error?.ok === false ? sent.error : sent
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const finishReason = round => (typeof round === 'string' ? 'stop' : 'tool_calls')
const toToolCall = ({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } })

function toMessage(round) {
  if (typeof round === 'string') return { role: 'assistant', content: round }
  return { role: 'assistant', content: null, tool_calls: round.map(toToolCall) }
}

function whole(round) {
  const choices = [{ index: 0, message: toMessage(round), finish_reason: finishReason(round) }]
  return Response.json({ id: 'r', object: 'chat.completion', created: 1, model: 'scripted', choices, usage })
}

function streamed(round) {
  const chunk = (delta, finish_reason = null) => ({
    id: 'r',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason }],
  })
  const chunks = [...deltas(round).map(delta => chunk(delta)), { ...chunk({}, finishReason(round)), usage }]
  const text = [...chunks.map(data => JSON.stringify(data)), '[DONE]'].map(data => `data: ${data}\n\n`).join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

/** Arguments are cut in two, as providers do. */
function deltas(round) {
  if (typeof round === 'string') return [{ role: 'assistant', content: round }]
  return round.flatMap((call, index) => {
    const middle = Math.ceil(call.args.length / 2)
    const start = toToolCall({ ...call, args: call.args.slice(0, middle) })
    return [
      { role: 'assistant', tool_calls: [{ index, ...start }] },
      { tool_calls: [{ index, function: { arguments: call.args.slice(middle) } }] },
    ]
  })
}
