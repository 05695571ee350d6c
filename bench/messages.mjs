// Messages of a provider with a call each: only read, and whole, from the text or the SDK's object to the message of the next
// request. Toolgate reads and answers them with its transport, the others with what one writes by hand.
import openaiTransport from '../js/transports/openai-transport.js'
import { FORMS, GATEWAYS, SIZE_TITLES, makeCase, series } from './cases.mjs'
import { toolgate } from './toolgate.mjs'
import { providerId, sizes } from './workload.mjs'

const { OpenAITransport } = openaiTransport

/** Sessions per block, turns per session and calls per turn. A transport remembers the calls of its conversation, here 64 small ones. */
const EXTENT = { small: [40, 8, 8], large: [1, 2, 8] }

/** The transports of Toolgate's sessions: a conversation keeps one. @type {WeakMap<object, InstanceType<typeof OpenAITransport>>} */
const transports = new WeakMap()

/** A completion as OpenAI's SDK returns it. */
function completion(n, size) {
  const { tool, args } = sizes[size]
  const call = {
    id: providerId(n),
    type: 'function',
    function: { name: tool, arguments: FORMS.text(args(n)) },
  }
  return {
    id: `chatcmpl-bench${n}`,
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'gpt-bench',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, tool_calls: [call], refusal: null },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 82, completion_tokens: 17, total_tokens: 99 },
  }
}

const isToolgate = session => session instanceof toolgate.Session

function transportOf(session) {
  let transport = transports.get(session)
  if (transport === undefined) transports.set(session, (transport = new OpenAITransport()))
  return transport
}

function callByHand(message) {
  const { choices } = typeof message === 'string' ? JSON.parse(message) : message
  const { id, function: called } = choices[0].message.tool_calls[0]
  return { id, name: called.name, args: called.arguments }
}

/** @returns {Promise<string[]>} the id of each call: the host does not look at the arguments, which it passes on */
async function readAll(session, messages) {
  if (!isToolgate(session)) return messages.map(message => callByHand(message).id)
  const transport = transportOf(session)
  return messages.map(message => transport.receiveToolCalls(message)[0].id)
}

/** @returns {Promise<string[]>} the content of each message of the next request */
async function answerAll(session, messages) {
  const answer = isToolgate(session) ? throughTransport : byHand
  const answers = []
  for (const message of messages) answers.push((await answer(session, message)).content)
  return answers
}

async function throughTransport(session, message) {
  const transport = transportOf(session)
  const [call] = transport.receiveToolCalls(message)
  return transport.sendToolResult({ id: call.id, name: call.name, result: await session.execute(call) })
}

async function byHand(session, message) {
  const call = callByHand(message)
  return { role: 'tool', tool_call_id: call.id, content: await session.executeText(call) }
}

/** @yields {import('./cases.mjs').Case} */
export function* messageCases() {
  const kinds = [
    ['read', 'message, only read', { perform: readAll, contenders: GATEWAYS, expected: 'call_' }],
    ['message', 'message, whole', { perform: answerAll }],
  ]
  for (const [kind, what, how] of kinds) {
    for (const size of ['small', 'large']) {
      for (const form of ['text', 'object']) {
        const makeTurn = (from, count) => ({ calls: series(n => FORMS[form](completion(n, size)), from, count) })
        yield makeCase(`${kind}-${size}-${form}`, 'messages', `${what}, ${SIZE_TITLES[size]}, ${form}`, {
          size,
          extent: EXTENT[size],
          makeTurn,
          ...how,
        })
      }
    }
  }
}
