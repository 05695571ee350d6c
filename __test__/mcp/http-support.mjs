// MCP over HTTP for tests: a server, its clients, and requests as they stand.
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'

import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

import { createMcpHttpHandler } from '../../js/mcp/index.js'
import { openGate } from '../support/gate.mjs'
import { afterTest } from '../support/tool-set.mjs'
import { connectClient } from './support.mjs'

/** The handler behind a server of Node. */
export async function served(options, tools, more) {
  const events = []
  const gate = await openGate(tools, { onConfirmation: event => events.push(event), ...more })
  return { ...gate, events, ...(await serving(gate.registry, options)) }
}

/** A server of Node over a registry. */
export async function serving(registry, options) {
  const handle = createMcpHttpHandler(registry, options)
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterTest(async () => {
    await handle.close()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  return { handle, url: `http://127.0.0.1:${server.address().port}/mcp` }
}

export async function connected(url, { headers, fetch, ...user } = {}) {
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch })
  return { ...(await connectClient(transport, user)), transport }
}

/** A request with headers that `fetch` does not let a program set. */
export function posted(url, headers, { method = 'POST', body = INITIALIZE } = {}) {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: { ...ACCEPT, ...headers } }, response => {
      let text = ''
      response
        .setEncoding('utf8')
        .on('data', part => {
          text += part
        })
        .on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
    })
    request.on('error', reject)
    request.end(method === 'POST' ? JSON.stringify(body) : undefined)
  })
}
export const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
}
export const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
