// MCP clients of the tests: the SDK's own, with every frame kept.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'

import { createMcpServer } from '../../js/mcp/index.js'
import { eventually } from '../support/gate.mjs'
import { afterTest } from '../support/tool-set.mjs'

/**
 * A client on a transport.
 * @param {object} transport
 * @param {{ elicit?: (params: object, extra: object) => unknown, answers?: object, capabilities?: object, client?: object }} [options]
 *   `elicit` answers for the user; `answers`: functions by method; `client`: options of the SDK's client
 * @returns {Promise<{ client: Client, frames: object[], sent: object[] }>} `frames`: what the server said; `sent`: what it received
 */
export async function connectClient(transport, { elicit, answers = {}, capabilities, client: more } = {}) {
  const client = new Client(
    { name: 'a-client', version: '1.0.0' },
    { capabilities: capabilities ?? (elicit ? { elicitation: {} } : {}), ...more },
  )
  if (elicit) client.setRequestHandler('elicitation/create', (request, { mcpReq }) => elicit(request.params, mcpReq))
  for (const [method, answer] of Object.entries(answers))
    client.setRequestHandler(method, ({ params }, { mcpReq }) => answer(params, mcpReq))
  const frames = []
  const sent = []
  transport.onmessage = frame => frames.push(frame)
  const send = transport.send.bind(transport)
  transport.send = (frame, options) => {
    sent.push(frame)
    return send(frame, options)
  }
  await client.connect(transport)
  afterTest(() => client.close())
  return { client, frames, sent }
}

/** A client of `createMcpServer`, in this process. */
export async function attached(registry, { options, ...user } = {}) {
  const [here, there] = InMemoryTransport.createLinkedPair()
  const server = createMcpServer(registry, options)
  await server.connect(there)
  return { ...(await connectClient(here, user)), server, transport: here }
}

/** The revision whose questions are results. */
export const ROUNDS = '2026-07-28'
export const modernClient = { client: { versionNegotiation: { mode: { pin: ROUNDS } } } }

/** One `tools/call` of that revision over HTTP, and its answer. */
export async function round(url, params, { capabilities = { elicitation: {} }, headers, signal } = {}) {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': ROUNDS,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: 'a-client', version: '1.0.0' },
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': ROUNDS,
      'mcp-method': 'tools/call',
      'mcp-name': params.name,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: envelope } }),
    signal,
  })
  return response.json()
}

/** What a result asks the user. */
export const asking = ({ result }) => result.inputRequests.confirmation.params

/** The ToolResponse in a result's text. */
export const envelopeOf = result => JSON.parse(result.content[0].text)

/** Sends a request as it stands, and waits for its answers: as many as that id was used. */
export async function asked({ transport, frames }, request, times = 1) {
  await transport.send({ jsonrpc: '2.0', ...request })
  const answers = () => frames.filter(({ id, method }) => id === request.id && method === undefined)
  await eventually(() => answers().length === times, `answer ${times} to ${request.id}`)
  return answers().at(-1)
}
