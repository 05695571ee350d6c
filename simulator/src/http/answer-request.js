// Answers one HTTP request: reads and checks it, finds the scenario step by the history, and runs the step.

import { parseJson } from '../parse-json.js'
import { runActions } from '../run-actions.js'
import { describeRequest } from '../recorder.js'
import { chooseBranch } from '../scenario/choose.js'
import { nextStep, positionOf } from '../scenario/next-step.js'
import { HttpOutput } from './output.js'

const MAX_BODY_BYTES = 16 * 1024 * 1024

/**
 * @typedef {object} Problem an error in a request, in the protocol's terms
 * @property {number} status
 * @property {string} message
 *
 * @typedef {object} HttpProtocol
 * @property {string} name
 * @property {(body: any, headers: object) => { problem: Problem } | Prepared} prepare checks a body
 * @property {(message: string, status: number) => Problem} unreadable makes the problem of a body that could not be
 *   read
 * @property {(response: import('node:http').ServerResponse, problem: Problem) => void} sendError
 *
 * @typedef {object} Prepared
 * @property {import('../scenario/next-step.js').HistoryEntry[]} entries the history
 * @property {string[]} declared names of the declared tools
 * @property {boolean} streamed
 * @property {import('./output.js').Format} format
 */

/**
 * @param {HttpProtocol} protocol
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {{ scenario: () => import('../scenario/compile.js').CompiledScenario, log: (line: string) => void, record:
 *   (entry: object) => void }} host
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

async function answer(protocol, { entries, declared, streamed, format }, response, { scenario, log }) {
  const current = scenario()
  const { step, view } = nextStep(current, { protocol: protocol.name, declared }, positionOf(entries))
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

/** @returns {Promise<string | null>} null if too large */
async function readBody(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    // read to the end, so that the client gets the answer and not a connection reset
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8')
}
