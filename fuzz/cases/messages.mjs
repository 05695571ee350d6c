// Frames of one connection to a provider: each is read without an exception, and a call has a name, an id and arguments.
import { AnthropicTransport } from '../../js/transports/anthropic-transport.js'
import { GeminiLiveTransport } from '../../js/transports/gemini-live-transport.js'
import { OpenAILiveTransport } from '../../js/transports/openai-live-transport.js'
import { OpenAIRealtimeTransport } from '../../js/transports/openai-realtime-transport.js'
import { OpenAITransport } from '../../js/transports/openai-transport.js'

/** @type {Record<string, () => any>} */
const TRANSPORTS = {
  anthropic: () => new AnthropicTransport(),
  'gemini-live': () => new GeminiLiveTransport({ sendToolResponse() {} }),
  'openai-chat': () => new OpenAITransport(),
  'openai-live': () => new OpenAILiveTransport({ send() {} }),
  'openai-realtime': () => new OpenAIRealtimeTransport({ send() {} }),
  'openai-responses': () => new OpenAITransport(),
}

/** @param {{ provider: string, frames: string[] }} input frames in base64 */
export async function runCase({ provider, frames }) {
  const transport = TRANSPORTS[provider]()
  let [calls, problems] = [0, 0]
  for (const [index, frame] of frames.entries()) {
    const bytes = Buffer.from(frame, 'base64')
    const given = transport.receiveToolCalls(index % 2 === 0 ? bytes : bytes.toString())
    for (const call of given) checkCall(call)
    if (!Array.isArray(transport.receiveCancellations(bytes))) throw new Error('cancellations are not a list')
    calls += given.length
    problems += transport.problem === null ? 0 : 1
  }
  if (calls > 0) return 'calls'
  return problems > 0 ? 'problems only' : 'nothing'
}

/** @param {any} call */
function checkCall(call) {
  if (typeof call.name !== 'string' || !('args' in call) || !['string', 'undefined'].includes(typeof call.id))
    throw new Error(`a call without a name, an id or arguments: ${JSON.stringify(call)}`)
}
