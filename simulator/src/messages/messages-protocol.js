// POST /v1/messages. A request may create a thread: its messages are kept, and later requests send only new messages.

import { BoundedMap } from '../http/bounded-map.js'
import { checkRequest, messagesProblem } from './check-messages-request.js'
import { sendError } from './messages-errors.js'
import { MessagesFormat } from './messages-format.js'
import { readHistory } from './messages-history.js'

/**
 * @import { HttpProtocol, Prepared, Problem } from '../http/answer-request.js'
 * @import { JsonObject } from '../parse-json.js'
 */

/** @typedef {BoundedMap<JsonObject>} Threads members of the last request and all messages, by the last message's id */

/** @returns {HttpProtocol} with its own threads */
export function createMessagesProtocol() {
  /** @type {Threads} */
  const threads = new BoundedMap()
  return {
    name: 'messages',
    sendError,
    unreadable: (message, status) => ({ status, message }),
    prepare(body, headers) {
      const shapeProblem = checkRequest(body, headers)
      if (shapeProblem !== null) return { problem: shapeProblem }
      const before = threadBefore(body, threads)
      if (before === undefined) return { problem: unknownThread(body.thread) }
      const whole = { ...before, ...body, messages: [...(before.messages ?? []), ...body.messages] }
      const problem = messagesProblem(whole)
      if (problem !== null) return { problem }
      return prepared(whole, body.thread === undefined ? null : threads)
    },
  }
}

/**
 * @param {JsonObject} body
 * @param {Threads} threads
 * @returns {JsonObject | undefined} the thread's earlier request; undefined if the thread is unknown
 */
function threadBefore({ thread }, threads) {
  return thread?.type === 'continue' ? threads.get(thread.previous_message_id) : {}
}

/** @param {JsonObject} thread @returns {Problem} */
function unknownThread({ previous_message_id: id }) {
  return {
    status: 404,
    message: `thread: there is no message \`${id}\` to continue from`,
    details: { error_code: 'thread_not_found' },
  }
}

/** @param {JsonObject} body @param {Threads | null} threads @returns {Prepared} */
function prepared(body, threads) {
  const { messages, system, tools = [], tool_choice: choice } = body
  /** @param {string} id @param {JsonObject[]} content */
  const keep = (id, content) =>
    threads?.set(id, { system, tools, messages: [...messages, { role: 'assistant', content }] })
  return {
    entries: readHistory(messages),
    declared: choice?.type === 'none' ? [] : tools.map(declarationOf),
    instructions: [system ?? []]
      .flat()
      .map((/** @type {any} */ block) => block?.text ?? block ?? '')
      .join('\n'),
    streamed: body.stream === true,
    format: new MessagesFormat(body, keep),
  }
}

/** @param {JsonObject} tool @returns {import('../assistant/read-arguments.js').ToolDeclaration} */
const declarationOf = ({ name, input_schema: parameters }) => ({ name, parameters })
