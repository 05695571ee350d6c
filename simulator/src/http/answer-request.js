// Answers one HTTP request: reads and checks it, finds the scenario step by the history, and runs the step.

import { parseJson } from '../parse-json.js'
import { runActions } from '../run-actions.js'
import { describeRequest } from '../recorder.js'
import { chooseBranch } from '../scenario/choose.js'
import { nextStep, positionOf } from '../scenario/next-step.js'
import { HttpOutput } from './http-output.js'

/** @import { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http' */

const MAX_BODY_BYTES = 16 * 1024 * 1024

/**
 * @typedef {object} Problem an error in a request, in the protocol's terms
 * @property {number} status
 * @property {string} message
 * @property {string} [type]
 * @property {string | null} [param]
 * @property {string | null} [code]
 * @property {object} [details]
 *
 * @typedef {object} HttpProtocol
 * @property {'chat' | 'responses' | 'messages' | 'gemini'} name
 * @property {(body: any, headers: IncomingHttpHeaders) => { problem: Problem } | Prepared} prepare checks a body; `any`
 *   because its JSON Schema is checked first
 * @property {(message: string, status: number) => Problem} unreadable makes the problem of a body that could not be
 *   read
 * @property {(response: ServerResponse, problem: Problem) => void} sendError
 *
 * @typedef {object} Prepared
 * @property {import('../scenario/next-step.js').HistoryEntry[]} entries the history
 * @property {import('../assistant/read-arguments.js').ToolDeclaration[]} declared
 * @property {string} instructions the system prompt
 * @property {boolean} streamed
 * @property {import('./http-output.js').Format} format
 * @property {undefined} [problem]
 *
 * @typedef {object} AnswerHost
 * @property {() => import('../scenario/compile.js').CompiledScenario} scenario
 * @property {(line: string) => void} log
 * @property {(entry: Omit<import('../recorder.js').Received, 'seq'>) => void} record
 */

/**
 * @param {HttpProtocol} protocol
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {AnswerHost} host
 */
export async function answerRequest(protocol, request, response, host) {
  const { name } = protocol
  const text = await readBody(request)
  const { value, problem } = text === null ? { problem: 'too large' } : parseJson(text)
  host.record({
    protocol: name,
    ...describeRequest(request),
    ...(problem === undefined ? { json: value } : { json: undefined, text: text ?? '' }),
  })
  const prepared =
    problem === undefined
      ? protocol.prepare(value, request.headers)
      : { problem: protocol.unreadable(`the body of the request is ${problem}`, text === null ? 413 : 400) }
  if (prepared.problem !== undefined) {
    host.log(`${name} refused: ${prepared.problem.message}`)
    return protocol.sendError(response, prepared.problem)
  }
  return answer(protocol, prepared, response, host)
}

/**
 * @param {HttpProtocol} protocol
 * @param {Prepared} prepared
 * @param {ServerResponse} response
 * @param {AnswerHost} host
 */
async function answer(protocol, { entries, declared, instructions, streamed, format }, response, { scenario, log }) {
  const current = scenario()
  const { step, view } = nextStep(current, { protocol: protocol.name, declared, instructions }, positionOf(entries))
  const output = new HttpOutput({ response, format, streamed, protocol, log })
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  try {
    await runActions(chooseBranch(step, view).emit, view, output, current.settings, gone.signal)
    output.end()
  } catch (error) {
    if (!gone.signal.aborted) throw error
    log(`${protocol.name} client went away`)
  }
}

/** @param {IncomingMessage} request @returns {Promise<string | null>} null if too large */
async function readBody(request) {
  /** @type {Buffer[]} */
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    // read to the end, so that the client gets the answer and not a connection reset
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8')
}
