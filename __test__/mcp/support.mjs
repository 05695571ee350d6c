// MCP clients of the tests: the SDK's own, with every frame kept.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

import { createMcpServer } from '../../js/mcp/index.js'
import { eventually } from '../support/gate.mjs'
import { afterTest } from '../support/tool-set.mjs'

/**
 * A client on a transport.
 * @param {object} transport
 * @param {{ elicit?: (params: object, extra: object) => unknown, capabilities?: object }} [options] `elicit` answers for the user
 * @returns {Promise<{ client: Client, frames: object[], sent: object[] }>} `frames`: what the server said; `sent`: what it received
 */
export async function connectClient(transport, { elicit, capabilities } = {}) {
  const client = new Client(
    { name: 'a-client', version: '1.0.0' },
    { capabilities: capabilities ?? (elicit ? { elicitation: {} } : {}) },
  )
  if (elicit) client.setRequestHandler(ElicitRequestSchema, (request, extra) => elicit(request.params, extra))
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

/** The ToolResponse in a result's text. */
export const envelopeOf = result => JSON.parse(result.content[0].text)

/** Sends a request as it stands, and waits for its answers: as many as that id was used. */
export async function asked({ transport, frames }, request, times = 1) {
  await transport.send({ jsonrpc: '2.0', ...request })
  const answers = () => frames.filter(({ id, method }) => id === request.id && method === undefined)
  await eventually(() => answers().length === times, `answer ${times} to ${request.id}`)
  return answers().at(-1)
}
